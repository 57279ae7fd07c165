import type { MailSite } from "./mail_content.ts";

/**
 * The header fields by which mail programs know a list, and offer to leave it. A mail that was
 * requested is of no list, but has a link to unsubscribe as well.
 *
 * ```ts
 * const urls = { unsubscribeUrl: "https://a.example/u", preferencesUrl: "https://a.example/p" };
 * const site = { siteName: "Acme", siteUrl: "https://a.example/roadmap", ...urls };
 * const { "List-Id": id } = listHeaders(site, { isOfList: true });
 * if (id !== "<changes.roadmap.a.example>") throw new Error(id);
 * ```
 */
export function listHeaders(
  { siteUrl, unsubscribeUrl, preferencesUrl }: MailSite,
  { isOfList }: { isOfList: boolean },
): Record<string, string> {
  const leave = {
    "List-Unsubscribe": `<${unsubscribeUrl}>`, // RFC 2369, section 3.2
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click", // RFC 8058, section 3.1
  };
  if (!isOfList) return leave;
  return {
    ...leave,
    "List-Id": `<${listId(siteUrl)}>`, // RFC 2919
    "List-Help": `<${preferencesUrl}>`, // RFC 2369, section 3.1: how to change a subscription
    "List-Subscribe": `<${siteUrl}/subscribe>`, // section 3.3
    "List-Post": "NO", // section 3.4: a list that takes no posts
    "List-Archive": `<${siteUrl}/>`, // section 3.6
  };
}

/** RFC 2919, section 2: a name below a domain of ours, the same for ever. */
function listId(siteUrl: string): string {
  const { hostname, pathname } = new URL(siteUrl);
  const labels = pathname.split("/").reverse().concat(hostname);
  return ["changes", ...labels].map((label) => label.replace(/[^a-z0-9.-]+/gi, "-"))
    .filter((label) => /[a-z0-9]/i.test(label)).join(".");
}
