import { readForm } from "../requests/body.ts";
import { Problem } from "../responses/problem.ts";
import type { Target } from "../requests/target.ts";
import { said } from "../../text/said.ts";

/** The headers of responses that contain a token or were requested with one. */
export const PRIVATE_HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
} as const;

/** The shortest of our tokens has 43 characters. */
const TOKEN = /[\w-]{40,}/;

/**
 * The token in the address of a link, without what mail programs and gateways put around it: a full
 * stop or a bracket of the sentence, `3D` of quoted-printable, `&amp;` of HTML. Null if there is none.
 *
 * ```ts
 * const token = "Q".repeat(43);
 * for (const query of [`token=${token}.`, `token=3D${token}`, `x=1&amp;token=(${token})`]) {
 *   if (readLinkToken({ query }) !== token) throw new Error(query);
 * }
 * ```
 */
export function readLinkToken({ query }: Pick<Target, "query">): string | null {
  for (const [name, value] of new URLSearchParams(query)) {
    const text = /^(?:amp;)*token$/i.test(name) ? value : /^(?:amp;)*token=(.+)/i.exec(name)?.[1];
    if (text) return cleanToken(text);
  }
  return null;
}

function cleanToken(text: string): string {
  const [token = text] = TOKEN.exec(text) ?? [];
  // Two characters more than one of our tokens has.
  return token.replace(/^3D(?=(?:.{43}|.{64,65})$)/, "");
}

/**
 * Rejects browsers and mail programs that prefetch a link: it would act, or be shown later as if it
 * had acted.
 *
 * @throws {Problem} 503, which makes a browser repeat the request when the page is needed
 */
export function refusePrefetch({ headers }: Request): void {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"]
    .map((name) => headers.get(name) ?? "").join(" ");
  if (!/\b(prefetch|prerender|preview)\b/i.test(purposes)) return;
  throw new Problem(503, said("problem.prefetch"), {
    headers: PRIVATE_HEADERS,
  });
}

/** The token of a POST: in its address (RFC 8058), or a field of the form. */
export async function readPostedToken(request: Request, target: Target): Promise<string | null> {
  return readLinkToken(target) ?? readTokenField(await readForm(request));
}

/** The token in a form. */
export function readTokenField(form: URLSearchParams): string | null {
  const text = form.get("token");
  return text ? cleanToken(text) : null;
}
