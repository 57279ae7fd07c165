import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { SourceKind } from "../../lib/config/source_kinds.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import type { Document } from "../../lib/import/kinds/kind.ts";
import { MAPPING, namedColumns } from "../../lib/import/mapping/fields.ts";
import type { MappedItem } from "../../lib/import/mapping/table.ts";
import { type Reading, readItems } from "../../lib/import/read_items.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { describeProblem, SnapshotError } from "../../lib/import/snapshot_error.ts";
import { TODAY } from "./app.ts";

/** The fields that most cases show. */
export const SHOWS = [
  "feature_name",
  "product_name",
  "release_type",
  "release_status",
  "release_date",
] as const;

/** What comes of a file: its items by their names and what is said of it, or why it is refused. */
export interface ReadTable extends Pick<Reading, "used" | "columns"> {
  items: MappedItem[];
  problems: string[];
  notes: readonly string[];
  leftOut: Readonly<Record<string, number>>;
  refused: string | null;
}

/** What a person says of a file. */
export interface Said {
  fields?: Readonly<Record<string, unknown>>;
  encoding?: string;
  sheet?: string;
  kind?: SourceKind;
  sourceName?: string;
}

/** What a file has in it; an object is written as JSON. */
export type Content = string | Uint8Array | object;

/** Reads a file as an import does, without a worker and a database. */
export async function readTable(
  name: string,
  content: Content,
  { fields: given = {}, kind = null!, sourceName = "My source", ...said }: Said = {},
): Promise<ReadTable> {
  const first: Document = {
    shown: name,
    address: name,
    bytes: new Uint8Array(bytesOf(content)),
    contentType: null,
    charset: null,
    link: null,
    headers: {},
  };
  const fields = MAPPING.parse(given);
  const job = {
    ...{ location: name, shown: name, kind, fields, sourceName, asOf: TODAY, dayOrder: null },
    ...{ columns: namedColumns(fields), settings: { github: { apiUrl: "" }, gitlab: { url: "" } } },
    ...said,
  };
  try {
    const reading = await readItems(job, () => Promise.resolve(first));
    const { problems, remarks, used, columns } = reading;
    return {
      items: itemsOf(reading),
      problems: problems.kept.map(describeProblem),
      notes: remarks.notes ?? [],
      leftOut: remarks.left_out ?? {},
      used,
      columns,
      refused: null,
    };
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const nothing = { items: [], problems: [], notes: [], leftOut: {}, used: {}, columns: [] };
    return { ...nothing, refused: error.message };
  }
}

/** All items that were read, by their names and products; if there are problems, the first ones. */
export function itemsOf({ batches, problems, firstItems }: Reading): MappedItem[] {
  const items: MappedItem[] = problems.total > 0
    ? firstItems
    : batches.flatMap((batch) => JSON.parse(new TextDecoder().decode(batch)));
  const placeOf = ({ feature_name, product_name }: MappedItem) =>
    `${feature_name}\0${product_name}`;
  return items.toSorted((one, other) => placeOf(one) < placeOf(other) ? -1 : 1);
}

/** All items at an address, none of which has problems. */
export async function readAt(
  location: string,
  options: Partial<ImportOptions> = {},
): Promise<MappedItem[]> {
  const reading = (await readSource(location, { asOf: TODAY, pausesMs: [], ...options }))!;
  assertEquals(reading.problems.kept, []);
  return itemsOf(reading);
}

function bytesOf(content: Content): Uint8Array {
  if (content instanceof Uint8Array) return content;
  return new TextEncoder().encode(typeof content === "string" ? content : JSON.stringify(content));
}

/** A file, and what is read of it. */
export interface ReadCase extends Said {
  of: Content;
  /** Without one, as suits the content. */
  name?: string;
  /** The fields that are looked at: name, products, what the status counts as, and day. */
  shows?: readonly (keyof MappedItem)[];
  /** A line for each item, such as `Maps | Widgets | planned | 2026-09-30`, by its name. */
  is?: readonly string[];
  leftOut?: Readonly<Record<string, number>>;
  /** Its notes; a list has them all. */
  notes?: RegExp | readonly string[];
  /** Why it is refused: all of its problems, or what is among them. */
  refused?: RegExp | readonly string[];
}

const USUAL = ["feature_name", "product_names", "tone", "release_date"] as const;

/** Registers a test that reads files; none of them is refused, unless it says so. */
export function testReading(title: string, ...cases: readonly ReadCase[]): void {
  Deno.test(title, async () => {
    for (const one of cases) await checkReading(one);
  });
}

/** Reads a file, and expects what is said of it. */
export async function checkReading(
  { of, name = nameFor(of), shows = USUAL, is, leftOut, notes, refused = [], ...said }: ReadCase,
): Promise<void> {
  const read = await readTable(name, of, said);
  const found = read.refused === null ? read.problems : [read.refused];
  const text = typeof of === "string" ? of : name;
  expectLines(found, refused, text);
  if (is) assertEquals(read.items.map((item) => lineOf(item, shows)), is, text);
  if (leftOut) assertEquals(read.leftOut, leftOut, text);
  if (notes) expectLines(read.notes, notes, text);
}

function nameFor(content: Content): string {
  if (typeof content === "string") return "plan.csv";
  return content instanceof Uint8Array ? "plan.xlsx" : "plan.json";
}

function expectLines(found: readonly string[], expected: RegExp | readonly string[], of: string) {
  if (expected instanceof RegExp) match(found.join("\n"), expected, `${found} of ${of}`);
  else assertEquals(found, expected, of);
}

/** Fields of an item in a line. */
export function lineOf(item: MappedItem, shows: readonly (keyof MappedItem)[] = USUAL): string {
  return shows.map((field) => {
    const value = item[field];
    if (Array.isArray(value)) return value.join(" + ");
    return typeof value === "object" ? value && JSON.stringify(value) : value;
  }).map((value) => value ?? "-").join(" | ");
}
