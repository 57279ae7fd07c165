import { untilAborted } from "../../work/cancellation.ts";
import { findCheckedAddresses, type Resolve } from "../../http/checked_addresses.ts";

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
}

/**
 * Fetches a URL, and follows its redirects: within its host and port, also from http to https, or to
 * a public address.
 *
 * @throws {Error} that says where it was led; TypeError if there is no connection
 */
export async function fetchFollowing(
  href: string,
  { headers, request, userAgent, signal, resolve }: FollowOptions,
): Promise<Response> {
  let url = new URL(href);
  let sent = headers;
  for (let redirects = 0;; redirects++) {
    const response = await fetch(url, {
      method: request?.method,
      body: request?.body,
      headers: sent,
      signal,
      redirect: "manual",
    });
    const location = response.headers.get("location");
    if (!REDIRECTS.includes(response.status) || location === null) return response;
    await response.body?.cancel();
    if (redirects === MAX_REDIRECTS) {
      throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
    }
    const next = readLocation(location, url);
    await untilAborted(refuseInside(next, { from: url, resolve }), signal);
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
 * Refuses a redirect that leaves the source, unless it leads to a public address: a source must not
 * have us read and publish what only this machine can reach, another port of it included.
 */
async function refuseInside(
  next: URL,
  { from, resolve }: { from: URL; resolve: Resolve },
): Promise<void> {
  if (bareName(next) === bareName(from) && next.port === from.port) return;
  try {
    await findCheckedAddresses(next, { allowsPrivate: false, resolve });
  } catch (error) {
    throw new Error(`it redirects to ${next.origin}: ${(error as Error).message}`);
  }
}

function bareName({ hostname }: URL): string {
  return hostname.replace(/^www\./, "");
}
