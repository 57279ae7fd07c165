/** What a request asks for: all of it comes from one string, and nothing of it from the Host. */
export interface Target {
  /** Path and query, as they were sent. */
  readonly address: string;
  /** As it was sent, not decoded. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
}

/** RFC 9110, section 7.2: a name or an IPv4 address, or an IPv6 one in brackets; and a port. */
const AUTHORITY = String.raw`(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{0,5})?`;
const HOST = new RegExp(`^${AUTHORITY}$`, "i");
const ORIGIN = new RegExp(`^https?://${AUTHORITY}(?=/)`, "i");

/**
 * Reads the target of a request. `Deno.serve` puts the scheme, the Host and the request target
 * together as they came, so that the address is certain only behind a Host that is one: in
 * `http://x?q=y&z=/api/releases` a URL parser sees a query where the client sent a path.
 *
 * ```ts
 * const { path, query } = readTarget(new Request("http://localhost:8000/rss?limit=5"))!;
 * if (path !== "/rss" || query !== "?limit=5") throw new Error();
 * const headers = { Host: "x?q=y&z=" };
 * if (readTarget(new Request("http://localhost/", { headers })) !== null) throw new Error();
 * ```
 *
 * @returns null where the Host, or the host of a target in absolute form, is none
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

/**
 * The path by which a route is found: decoded but for what is reserved, since either way means the
 * same (RFC 3986, section 6.2.2.2), and without the slash at its end, that of a site above all.
 *
 * ```ts
 * if (routingPath("/%61pi/a%2Fb/") !== "/api/a%2Fb") throw new Error();
 * ```
 */
export function routingPath(path: string): string {
  const decoded = path.includes("%") ? decode(path) : path;
  return decoded.length > 1 && decoded.endsWith("/") ? decoded.slice(0, -1) : decoded;
}

/** A percent sign that was encoded stays so: parameters of a path are decoded once more. */
function decode(path: string): string {
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path;
  }
}
