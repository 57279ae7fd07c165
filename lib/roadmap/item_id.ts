import { v5 as uuidV5 } from "uuid";
import { UUID } from "../text/values.ts";

/** The pages of items on roadmaps that number them; an address ends with the number. */
export const M365_ITEM_PAGE = "https://www.microsoft.com/microsoft-365/roadmap?id=";
export const AZURE_ITEM_PAGE = "https://azure.microsoft.com/updates?id=";

/**
 * The UUID v5 of `roadcast` in the URL namespace, which must never change:
 * e359eef9-efea-5817-bc60-58109b233dc0.
 */
const NAMESPACE = uuidV5("roadcast", uuidV5.URL);

/**
 * The id of an item from its id in the source: a UUID is kept, anything else becomes the UUID v5 of
 * `["<source>","<id>"]`. A value that is neither text nor a whole number is refused later.
 */
export function itemIdOf(id: unknown, sourceName: string): unknown {
  const text = typeof id === "string" ? id.trim() : Number.isSafeInteger(id) ? String(id) : "";
  if (text === "") return id;
  return UUID.test(text) ? text : uuidV5(JSON.stringify([sourceName, text]), NAMESPACE);
}

/** The id of an item that has none: the UUID v5 of `["<source>","<product>","<name>"]`. */
export function itemIdOfName(
  { product_name, feature_name }: { product_name?: unknown; feature_name?: unknown },
  sourceName: string,
): string {
  const texts = [product_name, feature_name].map((text) => String(text ?? "").trim());
  return uuidV5(JSON.stringify([sourceName, ...texts]), NAMESPACE);
}

/** The UUID of an item's address, as the roadmap numbers its items (RFC 9562, section 5.5). */
export function toUuid(id: unknown, page: string): unknown {
  const isId = Number.isSafeInteger(id) || (typeof id === "string" && id.trim() !== "");
  return isId ? uuidV5(page + String(id).trim(), uuidV5.URL) : id;
}

/** A number as trackers give it, or a key such as `APP-12`. */
const NUMBER = /^#?(\d{1,18}|[A-Za-z][A-Za-z\d]{0,19}-\d{1,10})$/;
/** What stands before a number that is meant as one. */
const BEFORE_NUMBER = /(?:^|\s)(?:id|feature|item|issue|number|no\.?|ticket|key|roadmap)[\s:]*#?$/i;
/** A number of so many digits means nothing else; shorter ones may be years and versions. */
const CERTAIN = /^(?:\d{5,}|[A-Z][A-Z\d]*-\d+)$/;
/** An address has no more parts that may be an id. */
const MAX_PARTS = 12;

/**
 * What a question may mean as the id of an item: a UUID, the number or key of a tracker, or the
 * address of an item here or at its source; empty: it is none.
 *
 * ```ts
 * if (idsIn("Roadmap ID 557176").join() !== "557176") throw new Error();
 * if (idsIn("https://example.com/browse/APP-12?x=1").join() !== "browse,APP-12,1") throw new Error();
 * if (idsIn("SQL Server 2022").length > 0) throw new Error();
 * ```
 */
export function idsIn(q: string): string[] {
  const text = q.trim();
  if (/^https?:\/\/\S+$/i.test(text) && URL.canParse(text)) {
    const { pathname, searchParams, hash } = new URL(text);
    return [...pathname.split("/"), ...searchParams.values(), hash.slice(1)]
      .map((part) => part.replace(/\.md$/, "")).filter((part) => part !== "").slice(0, MAX_PARTS);
  }
  const last = text.split(/\s+/).at(-1)!;
  if (UUID.test(last)) return [last.toLowerCase()];
  const [, number] = NUMBER.exec(last) ?? [];
  if (number === undefined) return [];
  const isMeant = last === text || CERTAIN.test(number) ||
    BEFORE_NUMBER.test(text.slice(0, -last.length));
  return isMeant ? [number] : [];
}

/** The ids that items have whose source calls them so, for each of some sources. */
export function itemIdsOf(ids: readonly string[], sources: readonly string[]): string[] {
  return ids.flatMap((id) => {
    if (UUID.test(id)) return [id.toLowerCase()];
    const pages = [M365_ITEM_PAGE, AZURE_ITEM_PAGE].map((page) => toUuid(id, page) as string);
    const keys = [...new Set([id, id.toUpperCase()])];
    return [
      ...pages,
      ...sources.flatMap((source) => keys.map((key) => itemIdOf(key, source) as string)),
    ];
  });
}
