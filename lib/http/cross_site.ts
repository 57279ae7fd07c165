import type { Config } from "../config/config.ts";
import { Problem } from "./problem.ts";

/**
 * Rejects requests that a page of another site made a browser send: they would act for visitors
 * without their knowledge. Browsers report it by Fetch Metadata (section 2.3) over https and to
 * localhost; otherwise by Origin alone (RFC 6454, section 7), which here must be the address that
 * was requested, or BASE_URL's where a proxy has changed that. A client that sends neither is not a
 * browser.
 *
 * @throws {Problem} 403
 */
export function refuseCrossSite(
  { headers, url }: Request,
  { baseUrl }: Pick<Config, "baseUrl">,
): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOurs = site === null
    ? origin === null || [url, baseUrl].some((own) => URL.parse(origin)?.host === new URL(own).host)
    : site === "same-origin" || site === "none";
  if (isOurs) return;
  throw new Problem(403, "Requests from pages of other sites are not allowed");
}
