import ipaddr from "ipaddr.js";

/** Addresses that share so many first bits. */
export type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Addresses and networks that are separated by spaces; null where one is neither. */
export function parseNetworks(text: string): Network[] | null {
  const networks = text.trim().split(/\s+/).map(parseNetwork);
  return networks.every((network) => network !== null) ? networks : null;
}

function parseNetwork(text: string): Network | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  // A short form such as 10.1 is more likely a mistake.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * Whether an address is in one of the networks; an IPv4 address that is written as IPv6 is what it
 * stands for.
 *
 * ```ts
 * const networks = parseNetworks("192.0.2.7 10.0.0.0/8 2001:db8::/32")!;
 * const found = ["192.0.2.7", "::ffff:10.1.2.3", "2001:db8::1", "192.0.2.8", "local"]
 *   .filter((address) => isInNetworks(address, networks));
 * if (found.length !== 3) throw new Error(found.join());
 * ```
 */
export function isInNetworks(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some(([network, bits]) =>
    network.kind() === parsed.kind() && parsed.match(network, bits)
  );
}
