import { isDeepStrictEqual } from "node:util";
import { formatQuarter } from "../text/dates.ts";
import { type Field, FIELDS, type Item } from "../roadmap/item.ts";
import type { MappedItem } from "./mapping/table.ts";

/** The columns of an item that an import writes, with their types. */
export const ITEM_COLUMNS = {
  release_item_id: "uuid",
  feature_name: "text",
  release_date: "date",
  release_type: "text",
  release_status: "text",
  product_id: "uuid",
  product_name: "text",
  product_names: "text[]",
  tags: "jsonb",
  dates: "jsonb",
  feature_description: "text",
  blog_title: "text",
  blog_url: "text",
  tone: "text",
  tone_by: "text",
  last_modified: "date",
  active: "boolean",
  source: "text",
  created: "date",
} as const satisfies Readonly<Record<keyof ItemRow, string>>;

/** An item as it is stored. */
export interface ItemRow extends Omit<Item, "language" | "moved_from"> {
  /** What its tone was found by. */
  tone_by: string;
  source: string;
  /** `YYYY-MM-DD`, as its source says; null: it does not. */
  created: string | null;
}

/** An item of a source, as it was read; null: its text for searches stays as it is. */
export type GivenItem = MappedItem & { search_text: string | null };

/** How items of a source are compared with the stored ones. */
interface ComparisonRules {
  source: string;
  asOf: string;
  /** The source's own day can move without a change, so it is not a change by itself. */
  lastModifiedIncludesComments: boolean;
  /** A day of the source stands for its quarter: one that is stored of it stays. */
  ofQuarters?: boolean | undefined;
  /** It was never read for named dates: those that it has are no news. */
  learnsDates?: boolean;
}

/** One change as it is noted. */
export interface NotedChange {
  release_item_id: string;
  /** Among those of its item. */
  place: number;
  day: string;
  kind: "added" | "restored" | "changed";
  field: Field | null;
  old_value: string | null;
  new_value: string | null;
  /** Of an addition: the fields that it has. */
  fields: Field[] | null;
  /** Of an addition: whether its source names the day. */
  by_source: boolean | null;
  tone_before: string | null;
  tone_after: string | null;
}

/** What an import does to one item. */
export interface ItemChange {
  /** Null: it is only read in another way, or gets a day of creation. */
  outcome: NotedChange["kind"] | null;
  item: ItemRow & { search_text: string | null };
  notes: NotedChange[];
  isDated: boolean;
}

/**
 * What an import does to one item; null: nothing. Every change moves `last_modified` forward, never
 * back. An item is added on the day on which its source says that it was created, else on the as-of
 * day.
 */
export function changeOf(
  stored: ItemRow | null,
  read: GivenItem,
  { source, asOf, lastModifiedIncludesComments, ofQuarters, learnsDates }: ComparisonRules,
): ItemChange | null {
  const given = stored === null
    ? read
    : { ...read, ...keptProducts(stored, read), ...ofQuarters && keptDays(stored, read) };
  const { last_modified: givenDay, created } = given;
  if (stored === null) {
    const item = { ...given, active: true, source, last_modified: givenDay ?? asOf };
    const fields = FIELDS.filter((field) => isFieldFilled(field, given));
    const note = noteOf("added", { ...item, day: created ?? asOf });
    return {
      outcome: "added",
      item,
      notes: [{ ...note, fields, by_source: created !== null }],
      isDated: false,
    };
  }
  const others = FIELDS.filter((field) => isOther(field, stored, given));
  const moved = others.filter((field) => field !== "dates" || !learnsDates);
  const isNewer = givenDay !== null && givenDay > stored.last_modified;
  const isChanged = moved.length > 0 || isNewer && !lastModifiedIncludesComments;
  const outcome = !stored.active ? "restored" : isChanged ? "changed" : null;
  const isDated = stored.created === null && created !== null;
  const isReread = stored.tone !== given.tone || stored.tone_by !== given.tone_by ||
    stored.feature_description !== given.feature_description || others.length > moved.length;
  if (outcome === null && !isReread && !isDated) return null;
  const day = isNewer ? givenDay : stored.last_modified > asOf ? stored.last_modified : asOf;
  const item = {
    ...given,
    active: true,
    created: stored.created ?? created,
    last_modified: outcome === null ? stored.last_modified : day,
    source: outcome === null ? stored.source : source,
  };
  const notes = moved.filter((field) => isNoted(field, stored, given)).map((field) => ({
    ...noteOf("changed", { ...item, day }),
    place: FIELDS.indexOf(field) + 1,
    field,
    old_value: valueText(stored[field]),
    new_value: valueText(given[field]),
    ...field === "release_status" && { tone_before: stored.tone, tone_after: given.tone },
  }));
  if (outcome === "restored") {
    notes.unshift(noteOf("restored", { ...item, day }) as typeof notes[0]);
  }
  return { outcome, item, notes: outcome === null ? [] : notes, isDated };
}

/** Days that are stored stay where a source names their quarters. */
function keptDays(stored: ItemRow, { release_date, dates }: GivenItem) {
  const keep = <Day extends string | null>(kept: Day | undefined, day: Day) =>
    kept && day && formatQuarter(kept) === formatQuarter(day) ? kept : day;
  return {
    release_date: keep(stored.release_date, release_date),
    dates: Object.fromEntries(
      Object.entries(dates).map(([name, day]) => [name, keep(stored.dates[name], day)]),
    ),
  };
}

/** What was the first product of a release stays the first, as long as it is one of them. */
function keptProducts(
  { product_name }: ItemRow,
  given: GivenItem,
): Partial<Pick<GivenItem, "product_name" | "product_names">> {
  if (given.product_name === product_name || !given.product_names.includes(product_name)) return {};
  const others = given.product_names.filter((name) => name !== product_name);
  return { product_name, product_names: [product_name, ...others.toSorted()] };
}

type FieldValues = Pick<ItemRow, Field>;

function isOther(field: Field, stored: FieldValues, given: FieldValues): boolean {
  const [before, after] = [stored[field], given[field]];
  if (isDeepStrictEqual(before, after)) return false;
  return field !== "feature_description" ||
    unmarked(before as string) !== unmarked(after as string);
}

/** One product that becomes another is a change of the first, as ever. */
function isNoted(field: Field, stored: FieldValues, given: FieldValues): boolean {
  const hasSeveral = stored.product_names.length > 1 || given.product_names.length > 1;
  if (field === "product_name") return !hasSeveral;
  return field !== "product_names" || hasSeveral;
}

function isFieldFilled(field: Field, given: FieldValues): boolean {
  if (field === "product_names") return given.product_names.length > 1;
  if (field === "tags" || field === "dates") return Object.keys(given[field]).length > 0;
  return given[field] !== null;
}

function noteOf(
  kind: NotedChange["kind"],
  { release_item_id, day }: { release_item_id: string; day: string },
): NotedChange {
  const [field, fields] = [null, null];
  const values = { old_value: null, new_value: null, tone_before: null, tone_after: null };
  return { release_item_id, place: 0, day, kind, field, fields, by_source: null, ...values };
}

/** A description without the comments and marks that do not change its words. */
function unmarked(description: string | null): string | null {
  if (description === null) return null;
  return withoutComments(description).replace(/\\(?=[!-/:-@[-`{-~])|<\/?su[bp]>/g, "");
}

function withoutComments(text: string): string {
  let [kept, at] = ["", 0];
  while (true) {
    const begin = text.indexOf("<!--", at);
    const end = begin < 0 ? -1 : text.indexOf("-->", begin + 4);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, begin);
    at = end + 3;
  }
}

/**
 * A value of a field as a change has it: lists, tags and dates as PostgreSQL writes `jsonb`, the
 * shorter keys first.
 *
 * ```ts
 * if (valueText("Maps") !== "Maps" || valueText(["A", "B"]) !== '["A", "B"]') throw new Error();
 * if (valueText({ Squad: ["A"], Team: [] }) !== '{"Team": [], "Squad": ["A"]}') throw new Error();
 * if (valueText({ Beta: "2026-09-30" }) !== '{"Beta": "2026-09-30"}') throw new Error();
 * ```
 */
export function valueText(value: FieldValues[Field]): string | null {
  if (value === null || typeof value === "string") return value;
  if (Array.isArray(value)) return `[${value.map((one) => JSON.stringify(one)).join(", ")}]`;
  const groups = Object.entries(value).map(([group, values]) => {
    const bytes = new TextEncoder().encode(group);
    const text = typeof values === "string" ? JSON.stringify(values) : valueText(values);
    return { length: bytes.length, group, text: `${JSON.stringify(group)}: ${text}` };
  });
  groups.sort((one, other) => one.length - other.length || (one.group < other.group ? -1 : 1));
  return `{${groups.map(({ text }) => text).join(", ")}}`;
}
