import { z } from "zod";
import type { Connection } from "../../database/database.ts";
import { DAY, ID } from "../collection.ts";
import { type DatedChange, FIELDS, type Item } from "../item.ts";
import { resolveFilter } from "../filter/filter.ts";
import { searchStrictly, type WordServices } from "../words/search_words.ts";
import type { Variant } from "../variant.ts";
import { type ChangeCursor, formatCursor, nameDatabase, refuseForeign } from "./change_cursor.ts";
import { findSpan, isAsked } from "./api_changes_sql.ts";
import type { ChangesQuery } from "./changes_query.ts";
import { type Entry, type EntrySearch, listEntries } from "./entries_sql.ts";
import { shownValues } from "./change_in_words.ts";
import { CHANGE_KINDS } from "./kinds.ts";

/** What one import changed of one item, as deliveries of webhooks are stored, too. */
export interface ChangeEntry {
  cursor: ChangeCursor;
  /** In the order of fields; an entry that is not of kind `changed` begins with its kind. */
  changes: (DatedChange & Pick<Entry, "imported_at">)[];
  /** As it is now. */
  item: Item;
}

/** A piece of all changes, oldest first. */
export interface ChangesPage {
  entries: ChangeEntry[];
  /** Where the next piece begins. */
  next: ChangeCursor;
  has_more: boolean;
}

/**
 * Reads the changes behind a cursor, as far as a variant shows them.
 *
 * @throws {Problem} 400 where the cursor is of another database, or of a state that it has no more
 */
export async function readChanges(
  { after, limit, release_item_id, due = [], kind, ...asked }: Omit<ChangesQuery, "wait">,
  { variant, today, ...services }: WordServices & { variant: Variant; today: string },
): Promise<ChangesPage> {
  const { database } = services;
  const { filter } = await searchStrictly(resolveFilter(asked, today), services);
  const position = after?.position ?? 0;
  const span = await findSpan(database, position, release_item_id);
  const databaseName = nameDatabase(span.database_id);
  if (after) refuseForeign(after, databaseName, span);

  const isCovered = isAsked(release_item_id, filter, { due, today });
  const found = await listChanges(
    database,
    { variant, kind, isCovered, after: position, upTo: span.end },
    { databaseName, limit: limit + 1, first: "oldest" },
  );
  const entries = found.slice(0, limit);
  const isCut = entries.length < found.length;
  const lastEntry = entries.at(-1);
  return {
    entries,
    next: isCut && lastEntry
      ? lastEntry.cursor
      : { database: databaseName, position: span.end, mark: span.end_mark },
    has_more: isCut || span.end < span.newest,
  };
}

/** Lists entries with all of their values, oldest first, each with the cursor that stands behind it. */
export async function listChanges(
  database: Connection,
  search: EntrySearch,
  { databaseName, ...page }: { databaseName: string; limit: number; first: "oldest" | "heaviest" },
): Promise<ChangeEntry[]> {
  const entries = await listEntries<Item>(database, search, { ...page, isWhole: true });
  return entries.map(({ entry_id, mark, imported_at, item, changes }) => ({
    cursor: { database: databaseName, position: entry_id, mark },
    changes: changes.map((change) => ({ ...change, imported_at })),
    item,
  }));
}

/** An answer with changes, in the shape of a variant. */
export function formatChanges(
  variant: Variant,
  page: ChangesPage,
  ignored: readonly string[],
): Record<string, unknown> {
  return {
    data: page.entries.map((entry) => formatChangeEntry(variant, entry)),
    next_after: formatCursor(page.next),
    has_more: page.has_more,
    ...ignored.length > 0 && { ignored },
  };
}

/** What one import changed of one item, in the shape of a variant. */
export function formatChangeEntry(
  variant: Variant,
  { cursor, changes, item }: ChangeEntry,
): Record<string, unknown> {
  const { day, imported_at } = changes[0]!;
  return {
    cursor: formatCursor(cursor),
    date: day,
    imported_at,
    kind: changes.find(({ kind }) => kind !== "changed")?.kind ?? "changed",
    kinds: changes[0]!.kinds[variant.datePrecision],
    release_item_id: item.release_item_id,
    fields: changes.flatMap((change) =>
      change.kind === "changed" ? shownValues(variant, change) : []
    ),
    release: item.active || variant.showsInactive ? variant.formatItem(item) : null,
  };
}

/** The schema of an answer with changes. */
export function changesSchema({ itemSchema, hiddenFields, showsInactive }: Variant) {
  const field = z.strictObject({
    field: z.enum(FIELDS.filter((field) => !hiddenFields.includes(field))),
    name: z.string().optional().describe("Of `dates`: which of the named dates"),
    old: z.string().nullable(),
    new: z.string().nullable(),
  }).meta({ id: "ChangedField" });
  const entry = z.strictObject({
    cursor: CURSOR.describe("Stands behind this entry"),
    date: DAY.describe("The day of the change"),
    imported_at: z.iso.datetime().nullable().describe("When this service imported it"),
    kind: z.enum(["added", "changed", "removed", "restored"]),
    kinds: z.array(z.enum(CHANGE_KINDS)).describe("What the change means, the heaviest first"),
    release_item_id: ID,
    fields: z.array(field).describe("What changed; empty if the release was added or removed"),
    release: showsInactive
      ? itemSchema
      : itemSchema.nullable().describe("The current state; null if it is not on the roadmap"),
  }).meta({ id: "ChangeEntry" });
  return z.strictObject({
    data: z.array(entry).describe("Oldest first"),
    next_after: CURSOR.describe("The next value of `after`, even if there is no more"),
    has_more: z.boolean(),
    ignored: IGNORED,
  }).meta({ id: "Changes" });
}

/** What an answer says of parameters that mean nothing. */
export const IGNORED = z.array(z.string()).optional()
  .describe("Parameters of the request that mean nothing here");

const CURSOR = z.string().regex(/^[\w.~-]+$/);
