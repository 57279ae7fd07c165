import ipaddr from "ipaddr.js";
import { isPublic } from "../../http/outgoing/checked_addresses.ts";
import type { PrivateLinks } from "../mapping/private_links.ts";

const MAX_LENGTH = 2_000;
/** Parameters that say where a reader came from, not which post it is. */
const TRACKING = /^(?:utm_\w+|wt\.mc_id|ocid|ref|source|fbclid|gclid)$/i;
/** Names that only mean something inside of a network (RFC 6762, RFC 8375 and others). */
const INTERNAL = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/;

/** The address of a post as it may be shown; null for one that no reader should follow. */
export function readPostAddress(link: string | null, hidden: PrivateLinks): string | null {
  const url = link === null ? null : URL.parse(link.trim());
  if (url === null || !/^https?:$/.test(url.protocol) || url.href.length > MAX_LENGTH) return null;
  if (url.username || url.password || !isPublicHost(url.hostname)) return null;
  return hidden.isPrivate(url.href) ? null : url.href;
}

function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "").toLowerCase();
  if (ipaddr.isValid(name)) return isPublic(name);
  return name.includes(".") && !INTERNAL.test(name);
}

/**
 * What is the same for all addresses of a post: its number at a host where it has one, else its
 * address.
 *
 * ```ts
 * const addresses = [
 *   "https://community.example.com/t5/Updates-Blogs/Graph/ba-p/5190748",
 *   "https://community.example.com/t5/Updates-Blog/Graph-in-Fabric/ba-p/5190748?WT.mc_id=x",
 *   "https://www.community.example.com/blog/updates/graph-in-fabric/5190748#top",
 * ];
 * if (new Set(addresses.map(postKey)).size !== 1) throw new Error(addresses.map(postKey).join());
 * ```
 */
export function postKey(address: string): string {
  const url = new URL(address);
  const host = url.hostname.toLowerCase().replace(/^www\./, "");
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  const number = /\/(\d{4,})$/.exec(path)?.[1];
  if (number !== undefined) return `${host}:${number}`;
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name)).sort();
  const query = kept.map(([name, value]) => `${name}=${value}`).join("&");
  return `${host}${path.toLowerCase()}${query && `?${query}`}`;
}
