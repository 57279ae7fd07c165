import { AZURE_ITEM_PAGE, M365_ITEM_PAGE, toUuid } from "../sources/microsoft_item.ts";

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
    const url = URL.parse(address.replaceAll("&amp;", "&"));
    if (url === null) continue;
    for (const [id] of url.href.matchAll(UUIDS)) ids.add(id.toLowerCase());
    for (const id of idsAtMicrosoft(url)) ids.add(id);
    if (ids.size >= MAX_LINKED) break;
  }
  return [...ids].slice(0, MAX_LINKED);
}

function idsAtMicrosoft({ hostname, pathname, searchParams }: URL): string[] {
  const page = /(?:^|\.)microsoft\.com$/.test(hostname)
    ? /roadmap/i.test(pathname)
      ? M365_ITEM_PAGE
      : hostname === "azure.microsoft.com" && /\/updates\b/i.test(pathname)
      ? AZURE_ITEM_PAGE
      : null
    : null;
  if (page === null) return [];
  const numbers = ["id", "featureid", "searchterms"].flatMap((name) =>
    searchParams.get(name)?.match(/\d{3,}/g) ?? []
  );
  return numbers.map((number) => String(toUuid(number, page)));
}
