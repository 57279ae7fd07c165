import type { SourceKind } from "../config/source_kinds.ts";
import { itemIdOf } from "../roadmap/item_id.ts";
import { searchText } from "../text/search_text.ts";
import { decodeEntities } from "../text/plain_text.ts";
import { asObject } from "../text/values.ts";
import type { FoundPost } from "./announcements/posts_in.ts";
import { isZip } from "./fetching/decode_text.ts";
import type { Validators } from "./fetching/fetch_address.ts";
import { showLocation } from "./fetching/location.ts";
import {
  BEGINNING,
  type Document,
  type Kind,
  MAX_ROWS,
  type Open,
  readText,
  type SourceToRead,
} from "./kinds/kind.ts";
import { findKind, kindOf, recogniseKind } from "./kinds/known_kinds.ts";
import type { Mapping } from "./mapping/fields.ts";
import { mapTable } from "./mapping/map_table.ts";
import type { MappedItem, MappedTable, MapSettings, Table } from "./mapping/table.ts";
import type { DayOrder } from "./mapping/read_date.ts";
import { type Remarks, toRemarks } from "./remarks.ts";
import { SnapshotError, type SnapshotProblem } from "./snapshot_error.ts";

/** What the worker that reads sources does: it reads one, or the posts of a feed. */
export type ReadJob =
  | ItemsJob
  | { posts: { shown: string; document: Document; privateHosts: readonly string[] } };

/** Which source is read, and how. */
export interface ItemsJob extends Omit<SourceToRead, "open" | "first"> {
  shown: string;
  kind: SourceKind | null;
  fields: Mapping;
  sourceName: string;
  asOf: string;
  dayOrder: DayOrder | null;
}

/** What the owner of the worker answers where a document is asked for. */
export type DocumentAnswer = { document: Document | null } | { failure: string };

/** What came of it. */
export type ReadOutcome =
  | { reading: Reading }
  | { posts: FoundPost[] }
  /** A sentence, and whether a document could not be opened. */
  | { refusal: string; isOpening?: boolean };

/** A page that was read, to ask later whether it has changed. */
export interface PageSeen {
  /** Without a name and a password. */
  address: string;
  validators: Validators | null;
}

/** What was read of a source: its items, as they go into the database, and what is said of them. */
export interface Reading
  extends
    Pick<Table, "families" | "language" | "dependsOnDay" | "ofQuarters">,
    Omit<MappedTable, "items" | "problems" | "leftOut" | "notes"> {
  kind: SourceKind;
  remarks: Remarks;
  /** Ids under which its items may be stored instead. */
  otherIds: Readonly<Record<string, string>>;
  products: string[];
  /** How many items have each of the fields that may vanish with a column. */
  filled: Readonly<Record<LosableField, number>>;
  dateNames: string[];
  /** How many rows it has, bad ones too. */
  rowCount: number;
  problems: { kept: SnapshotProblem[]; total: number };
  firstItems: MappedItem[];
  /** Sorted; none if there are problems. */
  ids: string[];
  /** The items in the order of their ids, as JSON. */
  batches: Uint8Array[];
  pages: PageSeen[];
}

/** Optional fields of an item: the name of a column that changes takes them from all items. */
export const LOSABLE_FIELDS = ["release_date", "feature_description", "blog_url", "tags"] as const;
export type LosableField = (typeof LOSABLE_FIELDS)[number];

/** Limits of one statement: items, or characters of description. */
const BATCH = { items: 200, characters: 4_000_000 };
const FIRST_ITEMS = 5;

/**
 * Reads the rows of a source, and maps them.
 *
 * @throws {SnapshotError} that says why the source cannot be read
 */
export async function readItems(job: ItemsJob, open: Open): Promise<Reading> {
  const { kind, first } = await recognise(job, open);
  const { fields } = job;
  const source = { ...job, open, first, keepsHidden: fields.hidden === "keep" };
  // A mapping may ask for fields by the names that they have in the source.
  const isMapped = Object.keys(fields).length > 0;
  const table = await kind.read(isMapped ? source : { ...source, toItem: kind.toItem });
  if (table.rows.length > MAX_ROWS) throw refuseSource(job, `it has more than ${MAX_ROWS} items`);
  const toItem = isMapped ? kind.toItem : kind.toItem && ((row: unknown) => row);
  const settings = { ...job, kind: kind.kind, toItem };
  return describeReading(table, mapTable(table, { ...kind.fields, ...fields }, settings), settings);
}

/** The kind of a source, and the document by which it was recognised, unless it is known. */
async function recognise(
  job: ItemsJob,
  open: Open,
): Promise<{ kind: Kind; first?: Document }> {
  const { location } = job;
  const known = kindOf(location, job.kind) ?? (job.api ? "json" : null);
  if (known === null) {
    const first = (await open({ address: location }))!;
    const kind = isZip(first.bytes) ? findKind("xlsx") : recogniseKind({
      location,
      contentType: first.contentType,
      extension: /\.(\w+)$/.exec(location.replace(/[?#].*/s, ""))?.[1]?.toLowerCase() ?? "",
      text: readText(first, job).slice(0, BEGINNING),
    });
    return { kind, first };
  }
  const kind = findKind(known);
  if (kind.form?.parse(location) === null) {
    throw refuseSource(job, `a source of kind ${known} is written ${kind.form.written}`);
  }
  return { kind };
}

function refuseSource({ location }: ItemsJob, reason: string): SnapshotError {
  return new SnapshotError(`Cannot read ${showLocation(location)}: ${reason}`);
}

/** What was read of a source whose table was mapped. */
export function describeReading(
  { rows, repaired = 0, notes: ofRows = [], families, language, dependsOnDay, ofQuarters }: Table,
  { items: given, problems, leftOut, notes, ...mapped }: MappedTable,
  { kind, sourceName }: Pick<MapSettings, "kind" | "sourceName">,
): Reading {
  const items = decodeNames(given, kind);
  const sorted = problems.total > 0
    ? []
    : items.toSorted((one, other) => one.release_item_id < other.release_item_id ? -1 : 1);
  return {
    ...mapped,
    kind,
    families,
    language,
    dependsOnDay,
    ofQuarters,
    remarks: toRemarks({ repaired, leftOut, notes: [...ofRows, ...notes] }),
    otherIds: kind === "feed" ? otherSchemeIds(rows, sourceName) : {},
    products: [...new Set(sorted.flatMap(({ product_names }) => product_names))],
    filled: Object.fromEntries(
      LOSABLE_FIELDS.map((field) => [field, sorted.filter((item) => hasValue(item[field])).length]),
    ) as Reading["filled"],
    dateNames: [...new Set(sorted.flatMap(({ dates }) => Object.keys(dates)))],
    rowCount: rows.length,
    problems: { kept: [...problems.kept], total: problems.total },
    firstItems: items.slice(0, FIRST_ITEMS),
    ids: sorted.map(({ release_item_id }) => release_item_id),
    batches: [...batchesOf(sorted)],
    pages: [],
  };
}

/** Exports and APIs, of which some write names as HTML; others mean what they write. */
const NAMED_KINDS: readonly SourceKind[] = ["csv", "xlsx", "json", "ndjson"];
/** A sign that is no entity: who writes so means each sign as it stands. */
const BARE_AMPERSAND = /&(?!(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][\da-z]{1,30});)/i;
const NAME_FIELDS = ["feature_name", "release_type", "blog_title", "product_name"] as const;

/**
 * Items whose names are text where their source writes them as HTML (`R&amp;D`): in all of them each
 * `&` begins an entity. Their ids stay those of the names as they are written.
 */
function decodeNames(items: readonly MappedItem[], kind: SourceKind): readonly MappedItem[] {
  if (!NAMED_KINDS.includes(kind)) return items;
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

/**
 * The ids that items would have if the addresses which are their ids began with the other scheme: a
 * site that moves to https moves its old entries with it, and never goes back.
 */
function otherSchemeIds(
  rows: readonly unknown[],
  sourceName: string,
): Record<string, string> {
  return Object.fromEntries(rows.flatMap((row) => {
    const id = asObject(row)?.id;
    const [, secure = "", rest = ""] = /^\s*http(s?)(:\/\/.+)$/is.exec(String(id ?? "")) ?? [];
    if (rest === "") return [];
    const other = `http${secure === "" ? "s" : ""}${rest}`;
    return [[String(itemIdOf(id, sourceName)), String(itemIdOf(other, sourceName))]];
  }));
}

function hasValue(value: unknown): boolean {
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
