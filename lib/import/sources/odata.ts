import type { SourceKind } from "../../config/settings.ts";
import { isAddress } from "../reading/location.ts";
import { readJsonItems } from "./json_items.ts";
import type { PageRead, Source } from "./source.ts";

const ROADMAP = /\/releasecommunications\/api\/v\d+\/(m365|azure)\/?$/i;

/** The kind of Microsoft's roadmaps by their address; null of anything else. */
export function kindOfOData(location: string): SourceKind | null {
  const path = isAddress(location) ? URL.parse(location)?.pathname : undefined;
  return ROADMAP.exec(path ?? "")?.[1]?.toLowerCase() as SourceKind | undefined ?? null;
}

/** How Microsoft's roadmaps are read: OData in pages (version 2), or one array (version 1). */
export const odata = {
  locate(address) {
    const url = isAddress(address) ? URL.parse(address) : null;
    if (url === null || !/\/v2\//.test(url.pathname) || hasCount(url)) return address;
    // Only with it a page says how many items there are.
    return withQuery(url, [...queryOf(url), "$count=true"]);
  },
  /**
   * The link of the server where it stays on its origin; else, since it names another host, the
   * same address by `skip`, until there are as many items as announced.
   */
  nextPage({ address, next, read, total, isEmpty }: PageRead) {
    const isComplete = total === null ? next === null : read >= total;
    if (isComplete || isEmpty) return null;
    const url = new URL(address);
    const link = next === null ? null : URL.parse(next, address);
    if (link?.origin === url.origin) return link.href;
    const name = /[?&](\$|%24)skip=/i.test(next ?? "") ? "$skip" : "skip";
    const kept = queryOf(url).filter((part) => !/^(\$|%24)?skip=/i.test(part));
    return withQuery(url, [...kept, `${name}=${read}`]);
  },
  read: (chunks, { location }) => readJsonItems(chunks, { location, lists: ["value", "data"] }),
} satisfies Pick<Source, "locate" | "nextPage" | "read">;

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
