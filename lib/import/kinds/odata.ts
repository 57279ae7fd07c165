import type { SourceKind } from "../../config/settings.ts";
import { isAddress } from "../fetching/location.ts";
import { followPages } from "./follow_pages.ts";
import { readJsonPage } from "./json.ts";
import { openFirst, type ReadRows, type SourceToRead } from "./kind.ts";

const ROADMAP = /\/releasecommunications\/api\/v\d+\/(m365|azure)\/?$/i;

/** The kind of Microsoft's roadmaps by their address; null of anything else. */
export function kindOfOData(location: string): SourceKind | null {
  const path = isAddress(location) ? URL.parse(location)?.pathname : undefined;
  return ROADMAP.exec(path ?? "")?.[1]?.toLowerCase() as SourceKind | undefined ?? null;
}

/** Reads Microsoft's roadmaps: OData in pages (version 2), or one array (version 1). */
export async function readOData(source: SourceToRead): Promise<ReadRows> {
  const first = await openFirst(source, countedAddress(source.location));
  let total: number | null = null;
  return await followPages(source, first, (document, before) => {
    const page = readJsonPage(document, source, ["value", "data"]);
    if (!isAddress(document.address)) return page;
    total ??= page.total ?? null;
    const read = before.items + page.rows.length;
    const isComplete = total === null ? page.next === null : read >= total;
    if (isComplete || page.rows.length === 0) return { ...page, next: null };
    return { ...page, next: nextAddress(document.address, page.next, read) };
  });
}

function countedAddress(address: string): string {
  const url = isAddress(address) ? URL.parse(address) : null;
  if (url === null || !/\/v2\//.test(url.pathname) || hasCount(url)) return address;
  // Only with it a page says how many items there are.
  return withQuery(url, [...queryOf(url), "$count=true"]);
}

/**
 * The link of the server where it stays on its origin; else, since it names another host, the same
 * address by `skip`, until there are as many items as announced.
 */
function nextAddress(address: string, next: string | null, read: number): string {
  const url = new URL(address);
  const link = next === null ? null : URL.parse(next, address);
  if (link?.origin === url.origin) return link.href;
  const name = /[?&](\$|%24)skip=/i.test(next ?? "") ? "$skip" : "skip";
  const kept = queryOf(url).filter((part) => !/^(\$|%24)?skip=/i.test(part));
  return withQuery(url, [...kept, `${name}=${read}`]);
}

function hasCount({ searchParams }: URL): boolean {
  return ["$count", "count"].some((name) => searchParams.has(name));
}

function queryOf({ search }: URL): string[] {
  return search.slice(1).split("&").filter((part) => part !== "");
}

function withQuery(url: URL, parts: readonly string[]): string {
  const changed = new URL(url);
  changed.search = parts.join("&");
  return changed.href;
}
