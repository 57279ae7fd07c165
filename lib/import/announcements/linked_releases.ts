import { AZURE_ITEM_PAGE, M365_ITEM_PAGE, toUuid } from "../kinds/microsoft_item.ts";

const ADDRESS = /https?:\/\/[^\s<>()"'\]]+/gi;
const UUIDS = /(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])/gi;
/** A post with more links than this is no announcement of them. */
const MAX_LINKED = 500;

/**
 * The ids of the releases that a text may link to: those in an address, as in Fabric's `#plan-<id>`
 * and in this service's own pages, and those that stand for a number of the Microsoft 365 or the
 * Azure roadmap.
 *
 * ```ts
 * const id = "fc241721-2402-f111-8406-000d3a36696c";
 * const found = linkedReleases(`See [the plan](https://roadmap.example.com/?product=iq#plan-${id}).`);
 * if (found.join() !== id) throw new Error(found.join());
 * ```
 */
export function linkedReleases(text: string): string[] {
  const ids = new Set<string>();
  for (const [address] of text.matchAll(ADDRESS)) {
    for (const [id] of address.matchAll(UUIDS)) ids.add(id.toLowerCase());
    for (const id of idsAtMicrosoft(address)) ids.add(id);
    if (ids.size >= MAX_LINKED) break;
  }
  return [...ids].slice(0, MAX_LINKED);
}

function idsAtMicrosoft(address: string): string[] {
  const url = address.length < 2_000 && /microsoft\.com\//i.test(address)
    ? URL.parse(address.replaceAll("&amp;", "&"))
    : null;
  if (url === null) return [];
  const page = pageOf(url);
  if (page === null) return [];
  const numbers = ["id", "featureid", "searchterms"].flatMap((name) =>
    url.searchParams.get(name)?.match(/\d{3,}/g) ?? []
  );
  return numbers.map((number) => String(toUuid(number, page)));
}

function pageOf({ hostname, pathname }: URL): string | null {
  if (!/(?:^|\.)microsoft\.com$/.test(hostname)) return null;
  if (/roadmap/i.test(pathname)) return M365_ITEM_PAGE;
  const isUpdates = hostname === "azure.microsoft.com" && /\/updates\b/i.test(pathname);
  return isUpdates ? AZURE_ITEM_PAGE : null;
}
