import { searchText } from "../text/search_text.ts";
import type { MappedItem, MappedTable, Table } from "./mapping/map_table.ts";
import type { ReadItems } from "./read_job.ts";

/** Limits of one statement: items, or characters of description. */
const BATCH = { items: 1_000, characters: 4_000_000 };
const FIRST_ITEMS = 5;

/** The mapped items of a table, as they go into the database. */
export function describeItems(
  { kind, rows, repaired = 0 }: Table,
  { items, problems, ...mapped }: MappedTable,
): ReadItems {
  const sorted = problems.total > 0
    ? []
    : items.toSorted((one, other) => one.release_item_id < other.release_item_id ? -1 : 1);
  return {
    ...mapped,
    kind,
    families: [],
    products: [...new Set(sorted.flatMap(({ product_names }) => product_names))],
    repaired,
    rowCount: rows.length,
    problems: { kept: [...problems.kept], total: problems.total },
    firstItems: items.slice(0, FIRST_ITEMS),
    ids: sorted.map(({ release_item_id }) => release_item_id),
    batches: [...batchesOf(sorted)],
  };
}

/** The items as JSON, as many at a time as one statement takes. */
function* batchesOf(items: readonly MappedItem[]): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  const write = (batch: readonly MappedItem[]) => {
    const rows = batch.map((item) => ({ ...item, search_text: searchText(item) }));
    return encoder.encode(JSON.stringify(rows));
  };
  let batch: MappedItem[] = [];
  let characters = 0;
  for (const item of items) {
    batch.push(item);
    characters += item.feature_description?.length ?? 0;
    if (batch.length === BATCH.items || characters >= BATCH.characters) {
      yield write(batch);
      batch = [];
      characters = 0;
    }
  }
  if (batch.length > 0) yield write(batch);
}
