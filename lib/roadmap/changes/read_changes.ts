import type { Connection } from "../../database/database.ts";
import type { ChangeCursor } from "./change_cursor.ts";
import { findAllEntries } from "./all_entries_sql.ts";
import {
  type ChangesFilter,
  findChanges,
  readTracedChanges,
  type TracedChange,
} from "./change_entries_sql.ts";
import { nameDatabase, refuseForeign } from "./check_cursor.ts";
import type { ChangesQuery } from "./changes_query.ts";
import type { Item } from "../item.ts";
import type { ChangeKind } from "./kinds.ts";
import { readItems } from "../items_sql.ts";
import { findChangedItems } from "../words/searches_sql.ts";
import type { Variant } from "../variant.ts";

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
  { after, limit, release_item_id, ...filter }: Omit<ChangesQuery, "wait">,
  { database, variant, today }: { database: Connection; variant: Variant; today: string },
): Promise<ChangesPage> {
  const found = await findChanges(database, {
    position: after?.position ?? 0,
    limit,
    ids: release_item_id,
    filter,
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
  /** Of how many releases all entries are. */
  releases: number;
  /** Of how many, by the heaviest of what happened to them. */
  kinds: Partial<Record<ChangeKind, number>>;
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
      releases: found.releases,
      kinds: found.kinds,
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
