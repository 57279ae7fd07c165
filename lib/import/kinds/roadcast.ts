import { followPages } from "./follow_pages.ts";
import { isAddress } from "../fetching/location.ts";
import { readJsonPage } from "./json.ts";
import { hasKey, type Kind, openFirst } from "./kind.ts";

/**
 * Another server of this interface (interface specification, 4.2): an answer of `/api/releases`,
 * and all pages after it. Of a server's base address, the collection of its active items is read.
 */
export const roadcast: Kind = {
  kind: "roadcast",
  title: "Another Roadcast",
  recognises: ({ location, text }) =>
    isAddress(location) && /^\s*\{/.test(text) && hasKey(text, "data") &&
    hasKey(text, "release_item_id"),
  async read(source) {
    const first = await openFirst(source, collectionAt(source.location));
    return await followPages(
      source,
      first,
      (document) => readJsonPage(document, source, ["data", "items", "issues"]),
    );
  },
};

function collectionAt(address: string): string {
  if (!isAddress(address)) return address;
  const url = new URL(address);
  if (url.pathname.endsWith("/api/releases")) return address;
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}/api/releases`;
  if (!url.search) url.search = "?page_size=200";
  return url.href;
}
