import type { Connection } from "../../database/database.ts";
import type { ChangesFilter } from "../filter/filter.ts";
import type { Variant } from "../variant.ts";
import { isChosenBy } from "../words/searches_sql.ts";
import { type ChangeEntry, listChanges } from "./api_changes.ts";
import { type ChangeCursor, nameDatabase } from "./change_cursor.ts";
import { readCursorFacts } from "./change_cursor_sql.ts";
import { countEntries, type EntrySearch } from "./entries_sql.ts";

/** All that changed between a place and a change: the heaviest entries, and how much there is. */
export interface NewChanges {
  /** The place, as a cursor. */
  after: ChangeCursor;
  entries: ChangeEntry[];
  /** How many entries are left out. */
  more: number;
}

/** Reads the news behind a change, up to another one, as far as a filter and a variant show them. */
export async function readNewChanges(
  database: Connection,
  filter: ChangesFilter,
  { position, upTo, variant, today, most }: {
    /** The ids of both changes. */
    position: number;
    upTo: number;
    variant: Variant;
    /** The day from which `due` counts, `YYYY-MM-DD`. */
    today: string;
    /** The most entries, and characters of them as JSON; one stands in any case. */
    most: { limit: number; characters: number };
  },
): Promise<NewChanges> {
  const { database_id, mark } = await readCursorFacts(database, position);
  const databaseName = nameDatabase(database_id);
  const search: EntrySearch = {
    variant,
    isCovered: await isChosenBy(database, filter, today),
    kind: filter.kind,
    after: position,
    upTo,
    onlyNews: true,
  };
  const { limit, characters } = most;
  const found = await listChanges(database, search, { databaseName, limit, first: "heaviest" });
  const total = found.length < limit ? found.length : (await countEntries(database, search)).total;
  const entries = takeFitting(found, characters);
  return {
    after: { database: databaseName, position, mark: mark ?? 0 },
    entries,
    more: total - entries.length,
  };
}

/** The first entries, as many as fit; at least one. */
function takeFitting(entries: readonly ChangeEntry[], characters: number): ChangeEntry[] {
  let taken = 0;
  return entries.filter((entry, place) => {
    taken += JSON.stringify(entry).length;
    return place === 0 || taken <= characters;
  });
}
