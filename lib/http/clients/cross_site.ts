import { isIP } from "node:net";
import type { Config } from "../../config/config.ts";
import { nameIn } from "../outgoing/checked_addresses.ts";
import { Problem } from "../responses/problem.ts";
import { said } from "../../text/said.ts";

/**
 * Rejects requests that a page of another site made a browser send: they would act for visitors
 * without their knowledge. Browsers report it by Fetch Metadata (section 2.3) over https and to
 * localhost; otherwise by Origin alone (RFC 6454, section 7), which here must be BASE_URL's, or the
 * address that was requested where that is localhost or an address: any other name may be one that
 * leads here for a moment only (DNS rebinding). A client that sends neither is not a browser.
 *
 * @param allowed the origins of other sites whose pages may send this one
 * @throws {Problem} 403
 */
export function refuseCrossSite(
  { headers, url }: Request,
  { BASE_URL: baseUrl }: Pick<Config, "BASE_URL">,
  allowed: readonly string[] = [],
): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOurs = site === null
    ? origin === null || isOwnOrigin(origin, { url, baseUrl })
    : site === "same-origin" || site === "none";
  if (isOurs || origin !== null && allowed.includes(origin)) return;
  const { host } = new URL(baseUrl);
  throw new Problem(403, said("problem.cross_site", { host }));
}

function isOwnOrigin(origin: string, { url, baseUrl }: { url: string; baseUrl: string }): boolean {
  const host = URL.parse(origin)?.host;
  if (host === new URL(baseUrl).host) return true;
  const requested = new URL(url);
  const isName = isIP(nameIn(requested)) === 0 && requested.hostname !== "localhost";
  return host === requested.host && !isName;
}
