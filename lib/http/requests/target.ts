import { Problem } from "../responses/problem.ts";
import { said } from "../../text/said.ts";

/** The target of a request, taken from the request line only and never from the Host. */
export interface Target {
  /** Path and query, as sent. */
  readonly address: string;
  /** As sent, not decoded. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

/** More than any page or filter needs, and few enough for whatever looks at each of them. */
const MAX_PARAMETERS = 500;

/** RFC 9110, section 7.2: a name or an IPv4 address, or an IPv6 one in brackets; and a port. */
const AUTHORITY = String.raw`(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{0,5})?`;
const HOST = new RegExp(`^${AUTHORITY}$`, "i");
const ORIGIN = new RegExp(`^https?://${AUTHORITY}(?=/)`, "i");

/**
 * Reads the target of a request. `Deno.serve` concatenates the scheme, the Host and the request
 * target, so the URL is reliable only if the Host is valid: in `http://x?q=y&z=/api/releases` a URL
 * parser sees a query where the client sent a path.
 *
 * ```ts
 * const { path, query } = readTarget(new Request("http://localhost:8000/rss?limit=5"))!;
 * if (path !== "/rss" || query !== "?limit=5") throw new Error();
 * const headers = { Host: "x?q=y&z=" };
 * if (readTarget(new Request("http://localhost/", { headers })) !== null) throw new Error();
 * ```
 *
 * @returns null if the Host, or the host of a target in absolute form, is invalid
 */
export function readTarget({ url, headers }: Request): Target | null {
  const host = headers.get("host");
  if (host && !HOST.test(host)) return null;
  const origin = ORIGIN.exec(url)?.[0];
  if (origin === undefined) return null;
  const address = url.slice(origin.length);
  const end = address.indexOf("?");
  return end === -1
    ? { address, path: address, query: "" }
    : { address, path: address.slice(0, end), query: address.slice(end) };
}

/** @throws {Problem} 400 for more parameters than anything here takes: no page ever sees them */
export function refuseManyParameters({ query }: Target): void {
  if (countFields(query) <= MAX_PARAMETERS) return;
  throw new Problem(400, said("problem.parameters", { count: MAX_PARAMETERS }));
}

/**
 * How many fields a query or a form has, before it is parsed: each is followed by a sign.
 *
 * ```ts
 * if (countFields("?a=1&b=2") !== 2) throw new Error();
 * ```
 */
export function countFields(text: string): number {
  let count = 1;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", at + 1)) count++;
  return count;
}

/**
 * The path that routes are matched with: unreserved characters decoded, which changes nothing in
 * its meaning (RFC 3986, section 6.2.2.2), and without trailing slashes.
 *
 * ```ts
 * if (routingPath("/%61pi/a%2Fb/") !== "/api/a%2Fb") throw new Error();
 * if (routingPath("///") !== "/") throw new Error();
 * ```
 */
export function routingPath(path: string): string {
  const decoded = path.includes("%") ? decode(path) : path;
  let end = decoded.length;
  while (end > 1 && decoded[end - 1] === "/") end--;
  return decoded.slice(0, end);
}

/** An encoded percent sign stays encoded: path parameters are decoded again later. */
function decode(path: string): string {
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path;
  }
}
