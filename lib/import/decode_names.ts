import type { SourceKind } from "../config/source_kinds.ts";
import { decodeEntities } from "../text/plain_text.ts";
import type { MappedItem } from "./mapping/table.ts";

/** Exports and APIs, of which some write names as HTML; others mean what they write. */
const KINDS: readonly SourceKind[] = ["csv", "xlsx", "json", "ndjson"];
/** A sign that is no entity: who writes so means each sign as it stands. */
const BARE_AMPERSAND = /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,30});)/i;
const NAME_FIELDS = ["feature_name", "release_type", "blog_title", "product_name"] as const;

/**
 * Items whose names are text where their source writes them as HTML (`R&amp;D`): in all of them each
 * `&` begins an entity. Their ids stay those of the names as they are written.
 */
export function decodeNames(items: readonly MappedItem[], kind: SourceKind): readonly MappedItem[] {
  if (!KINDS.includes(kind)) return items;
  const isHtml = (values: readonly (string | null)[]) => {
    const signed = values.filter((value) => value?.includes("&"));
    return signed.length > 0 && !signed.some((value) => BARE_AMPERSAND.test(value!));
  };
  const fields = NAME_FIELDS.filter((field) => isHtml(items.map((item) => item[field])));
  if (fields.length === 0) return items;
  const hasProducts = fields.includes("product_name");
  return items.map((item) => ({
    ...item,
    ...Object.fromEntries(
      fields.map((field) => [field, item[field] && decodeEntities(item[field])]),
    ),
    ...hasProducts && { product_names: item.product_names.map(decodeEntities) },
  }));
}
