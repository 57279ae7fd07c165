import type { ItemFilters, ItemSort } from "../roadmap/items_sql.ts";
import type { Selection } from "../roadmap/selections.ts";
import type { Content } from "../http/representation.ts";
import type { Context } from "../../routes/route.ts";

/** An answer that had to do without meaning is soon asked for again. */
const FALLBACK_SECONDS = 60;

/** What a collection holds, and how it was found. */
export interface Selected extends Pick<Content, "shortLived"> {
  selection: Selection;
  /** How `q` was searched; null: there was none. */
  mode: "semantic" | "substring" | null;
}

/** Finds the items of a collection: by meaning where the variant does and it is possible just now. */
export async function selectItems(
  { filters, sort, end }: { filters: ItemFilters; sort?: ItemSort; end: number },
  { services: { selections, semantic }, site: { variant } }: Context,
): Promise<Selected> {
  const { q } = filters;
  const isForMeaning = q !== undefined && semantic !== null && variant.searchesByMeaning;
  if (isForMeaning) {
    const selection = await semantic.select({ filters: { ...filters, q }, sort, end });
    if (selection) return { selection, mode: "semantic" };
  }
  return {
    selection: await selections.select(filters, sort ?? "last_modified"),
    mode: q === undefined ? null : "substring",
    shortLived: isForMeaning ? { seconds: FALLBACK_SECONDS } : undefined,
  };
}
