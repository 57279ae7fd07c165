import { lookup } from "node:dns/promises";
import ipaddr from "ipaddr.js";
import { ExpectedError } from "../../expected_error.ts";

/** An address that a name resolves to. */
export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Finds all addresses of a name; of an address, that itself. */
export type Resolve = (name: string) => Promise<ResolvedAddress[]>;

/** Asks the resolver of this machine. */
export const resolveByMachine: Resolve = (name) => lookup(name, { all: true });

/** A name leads to an address that is not public. */
export class AddressRefused extends ExpectedError {}

/**
 * Finds the addresses of the host of a URL, all of which are public. A connection must go to one of
 * these, and not resolve the name again: it may mean something else by then.
 *
 * @throws {AddressRefused} where one is not public; what `resolve` throws where there is none
 */
export async function findCheckedAddresses(
  url: URL,
  { allowsPrivate, resolve }: { allowsPrivate: boolean; resolve: Resolve },
): Promise<ResolvedAddress[]> {
  const name = nameIn(url);
  const addresses = await resolve(name);
  const refused = addresses.find(({ address }) => !allowsPrivate && !isPublic(address));
  if (refused === undefined) return addresses;
  const { address } = refused;
  throw new AddressRefused(
    `${name === address ? name : `${name} resolves to ${address}, which`} is not a public address`,
  );
}

/** The name or address of a URL's host, as resolvers take it. */
export function nameIn({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** All that IANA gives out of IPv6; an IPv4 address can be written outside of it (RFC 4291, 2.5.5). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Azure's virtual machines reach the services of their host at this public address. */
const AZURE_HOST = "168.63.129.16";

/**
 * Whether an address is one of the public internet: no private, loopback, link-local, shared,
 * multicast, reserved or translated one. An IPv4 address that is written as IPv6 is what it stands for.
 *
 * ```ts
 * const addresses = ["8.8.8.8", "::ffff:8.8.8.8", "2606:4700::1", "::ffff:10.0.0.1", "100.64.0.1"];
 * const found = addresses.filter(isPublic);
 * if (found.length !== 3) throw new Error(found.join());
 * ```
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)) return false;
  return parsed.range() === "unicast" && parsed.toString() !== AZURE_HOST;
}

/** Whether the host of a URL is this machine, by its name or its usual addresses. */
export function isLoopback(hostname: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
