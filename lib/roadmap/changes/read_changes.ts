import { z } from "zod";
import type { Connection } from "../../database/database.ts";
import { DAY, ID } from "../collection.ts";
import { type Change, FIELDS, type Item } from "../item.ts";
import { readItems } from "../items_sql.ts";
import { flag } from "../../http/requests/parameters.ts";
import { FILTER, type ItemFilter, resolveFilter } from "../filter/filter.ts";
import { searchStrictly, type WordServices } from "../words/search_words.ts";
import type { Variant } from "../variant.ts";
import { findChangedItems } from "../words/searches_sql.ts";
import {
  type ChangeCursor,
  cursorParameter,
  formatCursor,
  nameDatabase,
  refuseForeign,
} from "./change_cursor.ts";
import {
  type ChangesFilter,
  findAllEntries,
  findChangedReleases,
  findChanges,
  readTracedChanges,
  type TracedChange,
} from "./change_entries_sql.ts";
import type { ChangesQuery } from "./changes_query.ts";
import { joinParts } from "../../text/phrases.ts";
import { shownValues } from "./change_in_words.ts";
import { CHANGE_KINDS, countKinds, type KindCounts } from "./kinds.ts";
import { inEnglish, say } from "../../text/messages.ts";

/** What one import changed of one item. */
export interface ChangeEntry {
  cursor: ChangeCursor;
  /** In the order of fields; an entry that is not of kind `changed` begins with its kind. */
  changes: TracedChange[];
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
 * Reads the changes behind a cursor, as far as a variant shows them. Items are read after their
 * changes and never from a cache, so that none is older than its changes.
 *
 * @throws {Problem} 400 where the cursor is of another database, or of a state that it has no more
 */
export async function readChanges(
  { after, limit, release_item_id, due, kind, ...asked }: Omit<ChangesQuery, "wait">,
  { variant, today, ...services }: WordServices & { variant: Variant; today: string },
): Promise<ChangesPage> {
  const { database } = services;
  const { filter } = await searchStrictly(resolveFilter(asked, today), services);
  const found = await findChanges(database, {
    position: after?.position ?? 0,
    limit,
    ids: release_item_id,
    filter,
    due,
    kind,
    variant,
    today,
  });
  const databaseName = nameDatabase(found.database_id);
  if (after) refuseForeign(after, databaseName, found);

  const ids = found.entries.slice(0, limit);
  const entries = await readEntries(ids, { database, databaseName, variant });

  const isCut = ids.length < found.entries.length;
  const lastEntry = entries.at(-1);
  return {
    entries,
    next: isCut && lastEntry
      ? lastEntry.cursor
      : { database: databaseName, position: found.end, mark: found.end_mark },
    has_more: isCut || found.end < found.newest,
  };
}

/** All that changed between a place and a change: the heaviest entries, and how much there is. */
export interface NewChanges {
  /** The place, as a cursor. */
  after: ChangeCursor;
  entries: ChangeEntry[];
  /** How many entries are left out. */
  more: number;
}

/**
 * Reads what changed behind a change, up to another one, as far as a variant shows it, for each of
 * these filters, in their order, one after the other: the texts of all of them would take much memory.
 */
export async function* readNewChanges(
  database: Connection,
  { position, upTo, filters, variant, today, most }: {
    /** The ids of both changes. */
    position: number;
    upTo: number;
    filters: readonly ChangesFilter[];
    variant: Variant;
    /** The day from which `due` counts, `YYYY-MM-DD`. */
    today: string;
    /** The most entries, and characters of them as JSON; one stands in any case. */
    most: { limit: number; characters: number };
  },
): AsyncGenerator<NewChanges> {
  const { limit } = most;
  const wanted = await Promise.all(filters.map(async (filter) => {
    const { q: searches = [], due = [] } = filter;
    if (searches.length + due.length === 0) return filter;
    const among = await findChangedItems(database, { position, searches, due, today });
    return { ...filter, among };
  }));
  const all = { position, upTo, limit, filters: wanted, variant };
  for (const found of await findAllEntries(database, all)) {
    const databaseName = nameDatabase(found.database_id);
    const entries = takeFitting(
      await readEntries(found.entries, { database, databaseName, variant }),
      most.characters,
    );
    yield {
      after: { database: databaseName, position, mark: found.mark },
      entries,
      more: found.total - entries.length,
    };
  }
}

async function readEntries(
  ids: readonly number[],
  { database, databaseName, variant }: {
    database: Connection;
    databaseName: string;
    variant: Variant;
  },
): Promise<ChangeEntry[]> {
  if (ids.length === 0) return [];
  const changes = await readTracedChanges(database, ids, variant);
  const byEntry = Map.groupBy(changes, ({ entry_id }) => entry_id);
  const itemIds = [...new Set(changes.map(({ release_item_id }) => release_item_id))];
  const items = new Map(
    (await readItems(database, itemIds)).map((item) => [item.release_item_id, item]),
  );
  return ids.flatMap((entry_id): ChangeEntry[] => {
    const changes = byEntry.get(entry_id) ?? [];
    const item = changes[0] && items.get(changes[0].release_item_id);
    if (!item) return []; // the sample went away meanwhile
    const { mark } = changes[0]!;
    return [{ cursor: { database: databaseName, position: entry_id, mark }, changes, item }];
  });
}

/** The first entries, as many as fit; at least one. */
function takeFitting(entries: readonly ChangeEntry[], characters: number): ChangeEntry[] {
  let taken = 0;
  return entries.filter((entry, place) => {
    taken += JSON.stringify(entry).length;
    return place === 0 || taken <= characters;
  });
}

/** What the import of an entry did to the item. */
type EntryKind = Change["kind"];

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
    kind: kindOf(changes),
    kinds: changes[0]!.kinds[variant.datePrecision],
    release_item_id: item.release_item_id,
    fields: changes.flatMap((change) => {
      if (change.kind !== "changed") return [];
      return shownValues(variant, change);
    }),
    release: item.active || variant.showsInactive ? variant.formatItem(item) : null,
  };
}

function kindOf(changes: readonly Change[]): EntryKind {
  return changes.find(({ kind }) => kind !== "changed")?.kind ?? "changed";
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

const IGNORED = z.array(z.string()).optional()
  .describe("Parameters of the request that mean nothing here");

const CURSOR = z.string().regex(/^[\w.~-]+$/);

/** The most ids in an answer. */
const MAX_IDS = 500;

/** The parameters of the releases that changed: the filter, as the page of the roadmap reads it. */
export const CHANGED_RELEASES_QUERY = z.object({
  after: cursorParameter().describe(
    "`next_after` of an earlier response, here or at `/api/changes`; absent: the response has only `next_after`",
  ),
  ...FILTER,
  include_inactive: flag().default(true)
    .describe("`false`: without releases that are not on the roadmap now"),
});

/** Which releases changed after a cursor. */
export const CHANGED_RELEASES = z.strictObject({
  release_item_ids: z.array(ID).describe(`Last changed first, at most ${MAX_IDS}`),
  total: z.int().min(0).describe("Number of releases, within the last 10,000 changes"),
  first_day: DAY.nullable().describe("The earliest day of their changes"),
  kinds: z.partialRecord(z.enum(CHANGE_KINDS), z.int().min(1))
    .describe("Number of releases by the heaviest of what happened to them"),
  summary: z.string().describe("These numbers in words, such as `2 shipped, 3 slipped`"),
  next_after: z.string().describe("The cursor of the newest change"),
  ignored: IGNORED,
}).meta({ id: "ChangedReleases" });

/**
 * Reads which releases changed after a cursor, as far as a variant shows that.
 *
 * @throws {Problem} 400 where the cursor is of another database, or of a state that is gone
 */
export async function readChangedReleases(
  after: ChangeCursor | undefined,
  { database, variant, among }: {
    database: Connection;
    variant: Variant;
    /** Only these releases: those with some ids, or that pass a filter. */
    among: ItemFilter | readonly string[];
  },
): Promise<z.output<typeof CHANGED_RELEASES>> {
  const found = await findChangedReleases(database, {
    position: after?.position ?? 0,
    limit: MAX_IDS,
    variant,
    among,
  });
  const name = nameDatabase(found.database_id);
  if (after) refuseForeign(after, name, found);
  return {
    release_item_ids: after ? found.ids : [],
    total: after ? found.total : 0,
    first_day: after ? found.first_day : null,
    kinds: after ? found.kinds : {},
    summary: after ? inEnglish(() => summarise(found)) : "",
    next_after: formatCursor({ database: name, position: found.newest, mark: found.end_mark }),
  };
}

/** The most kinds that a line has room for. */
const MAX_KINDS = 3;

/** How many releases changed and how, in words, such as `2 shipped, 3 slipped`. */
export function summarise({ kinds, total }: { kinds: KindCounts; total: number }): string {
  const words = countKinds(kinds);
  if (words.length <= MAX_KINDS) return joinParts(words);
  const shown = CHANGE_KINDS.filter((kind) => kinds[kind]).slice(0, MAX_KINDS - 1);
  const more = total - shown.reduce((sum, kind) => sum + kinds[kind]!, 0);
  return joinParts([...words.slice(0, MAX_KINDS - 1), say("list.more", { count: more })]);
}
