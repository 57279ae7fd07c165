import type { SourceKind } from "../config/source_kinds.ts";
import { searchText } from "../text/search_text.ts";
import { decodeNames } from "./decode_names.ts";
import type { FoundPost } from "./announcements/posts_in.ts";
import type { Document, SourceToRead } from "./kinds/kind.ts";
import type { Mapping } from "./mapping/fields.ts";
import type { MappedItem, MappedTable, Table } from "./mapping/table.ts";
import type { DayOrder } from "./mapping/read_date.ts";
import type { SnapshotProblem } from "./snapshot_error.ts";

/** What the worker that reads sources does: it reads one, or the posts of a feed. */
export type ReadJob =
  | Omit<SourceToRead, "open" | "first"> & {
    shown: string;
    kind: SourceKind | null;
    fields: Mapping;
    sourceName: string;
    asOf: string;
    dayOrder: DayOrder | null;
  }
  | { posts: { shown: string; document: Document; privateHosts: readonly string[] } };

/** What the owner of the worker answers where a document is asked for. */
export type DocumentAnswer = { document: Document | null } | { failure: string };

/** What came of it. */
export type ReadOutcome =
  | { read: ReadItems }
  | { posts: FoundPost[] }
  /** A sentence, and whether a document could not be opened. */
  | { refusal: string; isOpening?: boolean };

/** The items of a source, as they go into the database. */
export interface ReadItems extends Omit<MappedTable, "items" | "problems"> {
  kind: SourceKind;
  /** The product families that the source names. */
  families: string[];
  /** The language of its texts (BCP 47), if it says one. */
  language?: string;
  /** Its unchanged documents have other items on another day. */
  dependsOnDay?: boolean;
  /** A day of it stands for all of its quarter. */
  ofQuarters?: boolean;
  /** Ids under which its items may be stored instead. */
  otherIds: Readonly<Record<string, string>>;
  /** The products of its items. */
  products: string[];
  /** How many characters or escapes of its text were repaired. */
  repaired: number;
  /** How many items have each of the fields that may vanish with a column. */
  filled: Readonly<Record<LosableField, number>>;
  /** The names of the dates that they have beside the release date. */
  dateNames: string[];
  /** How many rows it has, bad ones too. */
  rowCount: number;
  problems: { kept: SnapshotProblem[]; total: number };
  firstItems: MappedItem[];
  /** Sorted; none if there are problems. */
  ids: string[];
  /** The items in the order of their ids, as JSON. */
  batches: Uint8Array[];
}

/** Optional fields of an item: the name of a column that changes takes them from all items. */
export const LOSABLE_FIELDS = ["release_date", "feature_description", "blog_url", "tags"] as const;
export type LosableField = (typeof LOSABLE_FIELDS)[number];

/** Limits of one statement: items, or characters of description. */
const BATCH = { items: 200, characters: 4_000_000 };
const FIRST_ITEMS = 5;

/** The mapped items of a table, as they go into the database. */
export function describeItems(
  { kind, rows, repaired = 0 }: Table,
  { items: given, problems, ...mapped }: MappedTable,
): ReadItems {
  const items = decodeNames(given, kind);
  const sorted = problems.total > 0
    ? []
    : items.toSorted((one, other) => one.release_item_id < other.release_item_id ? -1 : 1);
  return {
    ...mapped,
    kind,
    families: [],
    otherIds: {},
    products: [...new Set(sorted.flatMap(({ product_names }) => product_names))],
    repaired,
    filled: Object.fromEntries(
      LOSABLE_FIELDS.map((field) => [field, sorted.filter((item) => isFilled(item[field])).length]),
    ) as ReadItems["filled"],
    dateNames: [...new Set(sorted.flatMap(({ dates }) => Object.keys(dates)))],
    rowCount: rows.length,
    problems: { kept: [...problems.kept], total: problems.total },
    firstItems: items.slice(0, FIRST_ITEMS),
    ids: sorted.map(({ release_item_id }) => release_item_id),
    batches: [...batchesOf(sorted)],
  };
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null
    ? Object.keys(value).length > 0
    : Boolean(value);
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
