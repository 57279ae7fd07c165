import {
  AddressRefused,
  findCheckedAddresses,
  isPublic,
  nameIn,
  type Resolve,
  type ResolvedAddress,
} from "../../http/outgoing/checked_addresses.ts";
import { fetchChecked } from "../../http/outgoing/checked_fetch.ts";
import { proxyVariable } from "../../http/outgoing/proxy.ts";
import { untilAborted } from "../../work/async.ts";

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

/** The headers that another origin gets, too: none that may hold a secret. */
const FOR_ALL = ["accept", "if-modified-since", "if-none-match"];

/** How an address is fetched; `signal` ends it, whatever it is waiting for. */
export interface FollowOptions {
  headers: Headers;
  /** Absent: a GET. */
  request?: { method: "POST"; body: string } | null;
  /** Another origin gets this one, whatever the headers say. */
  userAgent: string;
  signal: AbortSignal;
  resolve: Resolve;
  /** Sends a request to addresses that were checked; absent: over the network. */
  fetchChecked?: typeof fetchChecked;
  /** The hosts of this source that had public addresses: they may not come to mean others. */
  publicHosts: Set<string>;
  /** Whether the first page may have an address that is not public. */
  allowsPrivate: boolean;
}

/**
 * Fetches a URL, and follows its redirects: within its host and port, also from http to https, or to
 * a public address. Where an address has to be public, the connection goes to the one that was
 * checked, whatever the name means by then.
 *
 * @throws {Error} that says where it was led; TypeError if there is no connection
 */
export async function fetchFollowing(href: string, options: FollowOptions): Promise<Response> {
  const { headers, request, userAgent, signal } = options;
  const connect = options.fetchChecked ?? fetchChecked;
  let url = new URL(href);
  let sent = headers;
  let addresses = await untilAborted(checkPage(url, options), signal);
  for (let redirects = 0;; redirects++) {
    const message = { method: request?.method, body: request?.body, signal };
    const response = addresses === null
      ? await fetch(url, { ...message, headers: sent, redirect: "manual" })
      : await connect(url, { ...message, headers: Object.fromEntries(sent), addresses });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return response;
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
    }
    const next = readLocation(location, url);
    addresses = await untilAborted(checkRedirect(next, { from: url, options }), signal);
    if (next.origin !== url.origin) {
      if (request) throw new Error(`it redirects a POST to ${next.origin}: use that address`);
      sent = new Headers([...sent].filter(([name]) => FOR_ALL.includes(name)));
      sent.set("user-agent", userAgent);
    }
    url = next;
  }
}

function readLocation(location: string, base: URL): URL {
  const url = URL.parse(location, base);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error("it redirects to an address that is not http");
  }
  url.username = url.password = "";
  return url;
}

/**
 * The addresses to which a page of a source is bound: null for its first page, which the operator has
 * named, and for a host that is not public.
 *
 * @throws {AddressRefused} that names the setting, for a source that may be no such host
 */
async function checkPage(
  page: URL,
  { resolve, publicHosts, allowsPrivate }: FollowOptions,
): Promise<ResolvedAddress[] | null> {
  if (!allowsPrivate) return await findPublicAddresses(page, resolve);
  // A proxy that leads out finds the address itself.
  if (proxyVariable(page)) return null;
  if (publicHosts.has(page.hostname)) {
    return await findCheckedAddresses(page, { allowsPrivate: false, resolve });
  }
  // Without an answer there is nothing to hold the host to; `fetch` says what is wrong.
  const addresses = await resolve(nameIn(page)).catch(() => []);
  const isAllPublic = addresses.length > 0 && addresses.every(({ address }) => isPublic(address));
  if (isAllPublic) publicHosts.add(page.hostname);
  return null;
}

/** The addresses of what an operator named on a page. @throws {AddressRefused} that names the setting */
export async function findPublicAddresses(url: URL, resolve: Resolve): Promise<ResolvedAddress[]> {
  try {
    return await findCheckedAddresses(url, { allowsPrivate: false, resolve });
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    throw new AddressRefused(`${error.message}: SOURCE_ALLOW_PRIVATE=true allows it`);
  }
}

/**
 * The addresses to which a redirect is bound; null if it stays within the source. One that leaves it
 * must lead to a public address: a source must not have us read and publish what only this machine
 * can reach, another port of it included.
 */
async function checkRedirect(
  next: URL,
  { from, options: { resolve, publicHosts, allowsPrivate } }: { from: URL; options: FollowOptions },
): Promise<ResolvedAddress[] | null> {
  const isPublicSource = !allowsPrivate ||
    [from, next].some((url) => publicHosts.has(url.hostname));
  if (isSameServer(next, from) && !isPublicSource) return null;
  try {
    return await findCheckedAddresses(next, { allowsPrivate: false, resolve });
  } catch (error) {
    throw new Error(`it redirects to ${next.origin}: ${(error as Error).message}`);
  }
}

/** Whether an address has the same origin, but for `www.` and https in place of http. */
function isSameServer(next: URL, from: URL): boolean {
  const bare = ({ hostname }: URL) => hostname.replace(/^www\./, "");
  const isUpgrade = from.protocol === "http:" && next.protocol === "https:";
  return bare(next) === bare(from) && next.port === from.port &&
    (next.protocol === from.protocol || isUpgrade);
}
