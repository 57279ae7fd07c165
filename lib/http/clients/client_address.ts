import { getLogger } from "@logtape/logtape";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Config } from "../../config/config.ts";

/** After this many requests with X-Forwarded-For a peer is taken for a proxy. */
const MANY = 50;
/** More peers than this are forgotten. */
const MAX_PEERS = 1_000;

const log = getLogger(["roadcast", "http"]);

/**
 * The address of the client: the peer of the connection or, behind this many trusted proxies, the
 * entry of X-Forwarded-For that the outermost of them added. Earlier entries come from the client
 * and are not trusted.
 *
 * ```ts
 * const headers = new Headers({ "X-Forwarded-For": "6.6.6.6, 203.0.113.7, 10.0.0.2" });
 * const address = (trustedProxies: number) =>
 *   clientAddress(headers, { peer: "10.0.0.1", trustedProxies });
 * if (address(0) !== "10.0.0.1") throw new Error(address(0));
 * if (address(2) !== "203.0.113.7") throw new Error(address(2));
 * ```
 */
export function clientAddress(
  headers: Headers,
  { peer, trustedProxies }: { peer: string; trustedProxies: number },
): string {
  const hops = (headers.get("x-forwarded-for") ?? "").split(",");
  let client = bareAddress(peer);
  // Every proxy appends its peer; entries before an invalid one cannot be trusted.
  for (let proxy = 0; proxy < trustedProxies; proxy++) {
    const heardFrom = bareAddress(hops.pop() ?? "");
    if (isIP(heardFrom) === 0) break;
    client = heardFrom;
  }
  return client;
}

/**
 * The clients that share one limit: an IPv4 address, or an IPv6 /64 network, because a household
 * gets 2^64 addresses (RFC 6177). An IPv4-mapped address (RFC 4291, section 2.5.5.2) counts as the
 * IPv4 address.
 *
 * ```ts
 * if (networkOf("2001:db8:1:2:3::4") !== "2001:db8:1:2::/64") throw new Error();
 * if (networkOf("::ffff:192.0.2.1") !== "192.0.2.1") throw new Error();
 * ```
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  return ipv6NetworkOf(address, 64) ?? ipaddr.process(address).toString();
}

/**
 * The /48 network of an IPv6 address: the most that a provider gives one customer (RFC 6177), with
 * 65,536 of the networks that `networkOf` distinguishes. Null for IPv4.
 *
 * ```ts
 * if (siteNetworkOf("2001:db8:1:2:3::4") !== "2001:db8:1::/48") throw new Error();
 * if (siteNetworkOf("::ffff:192.0.2.1") !== null) throw new Error();
 * ```
 */
export function siteNetworkOf(address: string): string | null {
  return ipv6NetworkOf(address, 48);
}

/** Without the port and the brackets that some proxies add, and without an IPv6 zone. */
function bareAddress(text: string): string {
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](:\d+)?$/.exec(trimmed)?.[1];
  const withoutPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(trimmed)?.[1];
  return (bracketed ?? withoutPort ?? trimmed).split("%")[0]!;
}

/** Null if the address is not IPv6. */
function ipv6NetworkOf(address: string, bits: number): string | null {
  if (isIP(address) !== 6) return null;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return null;
  return `${parsed.parts.slice(0, bits / 16).map((part) => part.toString(16)).join(":")}::/${bits}`;
}

/** Notices a proxy that TRUSTED_PROXIES does not know of, and says so once. */
export class ProxyCheck {
  readonly #counts = new Map<string, number>();
  #isDone: boolean;

  constructor({ TRUSTED_PROXIES: trustedProxies }: Pick<Config, "TRUSTED_PROXIES">) {
    this.#isDone = trustedProxies > 0;
  }

  /** Looks at a request that came from this peer. */
  note(headers: Headers, peer: string): void {
    if (this.#isDone || !headers.has("x-forwarded-for")) return;
    const count = (this.#counts.get(peer) ?? 0) + 1;
    if (this.#counts.size >= MAX_PEERS) this.#counts.clear();
    this.#counts.set(peer, count);
    if (count < MANY) return;
    this.#isDone = true;
    this.#counts.clear();
    log.warn(
      "Requests come through a proxy at {peer}, but TRUSTED_PROXIES is 0, so all clients count as one for the rate limits: set it to the number of proxies",
      { peer },
    );
  }
}
