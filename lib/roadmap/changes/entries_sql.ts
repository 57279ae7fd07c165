/**
 * How changes are stored and read.
 *
 * - `import_runs`: an import, its source, its days, and whether it is news
 * - `changes`: a changed field, or a release that was added, removed or restored
 * - `change_entries`: what one import did to one release; its id is that of its last change
 * - `item_versions`: a release as it was before an import wrote it
 *
 * Imports are applied one after another (`lockImports`), and what was prepared before another one was
 * applied is prepared again, with new ids. So an entry never appears before one that was already seen:
 * everything after a position is `entry_id > position`. A cursor is a position together with the name
 * of the database and the moment at which the import of that change began (its mark), so a database
 * that was restored to an earlier state refuses it.
 *
 * The SQL function `change_kinds` alone decides what is a slip or a shipment, for the precision of both
 * variants; what a variant hides has no kind there. `entriesOf` (`kinds_sql.ts`) makes the entries.
 *
 * A reader of entries takes `listEntries` and `countEntries` below: `api_changes.ts`,
 * `webhook_changes.ts`, `page_changelog.ts`, `visit_changes.ts`. Digests, chats and feeds ask for each
 * field's first old and last new value instead (`net_changes_sql.ts`), a release for its own history
 * (`history_sql.ts`), and a past day for the rows that the first later import replaced
 * (`lib/roadmap/as_of`).
 *
 * The first import of a source is not news (`IS_NEWS`): it is in `/api/changes`, which copies the
 * roadmap, and one line in `/changelog`, but in no email or chat.
 *
 * @module
 */
import type { Connection } from "../../database/database.ts";
import { every, isoTime, type Sql, sql } from "../../database/sql.ts";
import { kindsFor } from "./kinds_sql.ts";
import type { DatedChange, ListedItem } from "../item.ts";
import { ITEM, LISTED_ITEM } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { MARK } from "./change_cursor_sql.ts";
import { changeUpTo, IS_NEWS, isFieldShown, KINDS_OF_ENTRY, WHOLE_CHANGE } from "./changes_sql.ts";
import { CHANGE_KINDS, type ChangeKind, heaviestKind, type KindCounts } from "./kinds.ts";

/** Which entries are wanted: what one import did to one release, as far as a variant shows it. */
export interface EntrySearch {
  variant: Variant;
  /** The condition that a release, `items` as it is now, counts; absent: any does. */
  isCovered?: Sql;
  /** Absent: of any kind. */
  kind?: readonly ChangeKind[];
  /** Those after one change, up to another, by their ids. */
  after?: number;
  upTo?: number;
  /** Of these days, `YYYY-MM-DD`, both included. */
  from?: string;
  to?: string;
  /** Without the first imports of sources. */
  onlyNews?: boolean;
}

/** A place between entries: behind this one, where the newest day comes first. */
interface EntryPlace {
  /** `YYYY-MM-DD` */
  day: string;
  entry_id: number;
}

/** What one import changed of one release. */
export interface Entry<Shown extends ListedItem = ListedItem> extends EntryPlace {
  run_id: number;
  /** When the import began, in milliseconds since 1970; 0: unknown. */
  mark: number;
  /** ISO 8601, UTC; null: unknown. */
  imported_at: string | null;
  kinds: ChangeKind[];
  /** As it is now. */
  item: Shown;
  /** In the order of fields; an entry that is not of kind `changed` begins with its kind. */
  changes: DatedChange[];
}

const ORDERS = {
  oldest: sql`entry_id`,
  newest: sql`day desc, entry_id desc`,
  heaviest: sql`array_position(${[...CHANGE_KINDS]}::text[], kinds[1]), entry_id`,
} as const;

interface EntryPage {
  /** Those that are read where there are more than `limit`. */
  first: keyof typeof ORDERS;
  limit: number;
  /** With all of the release and of the values; absent: as a list shows them. */
  isWhole?: boolean;
  /** Those behind this place, the newest day first. */
  before?: EntryPlace;
}

/** The most characters of a value in a list, which compares them. */
const COMPARED_LENGTH = 4_000;

/** Lists entries, the newest day first where the newest are read, else oldest first. */
export function listEntries<Shown extends ListedItem = ListedItem>(
  connection: Connection,
  search: EntrySearch,
  { first, limit, isWhole = false, before }: EntryPage,
): Promise<Entry<Shown>[]> {
  const isOlder = before === undefined
    ? sql`true`
    : sql`(day, entry_id) < (${before.day}::date, ${String(before.entry_id)}::bigint)`;
  return connection.query(sql`
    with listed as (
      select * from (
        select entry_id, run_id, release_item_id, day, ${kindsFor(search.variant)} as kinds,
          ${KINDS_OF_ENTRY} as kinds_of_changes
        from change_entries
        join items using (release_item_id)
        where ${isWanted(search)} and ${isOlder}
      ) as wanted
      order by ${ORDERS[first]}
      limit ${limit}
    )
    select entry_id::float8 as entry_id, run_id, listed.day::text as day, kinds,
      ${MARK} as mark,
      ${isoTime(sql`coalesce(finished_at, started_at)`)} as imported_at,
      (select to_jsonb(item) from (select ${isWhole ? ITEM : LISTED_ITEM}) as item) as item,
      (
        select coalesce(
          jsonb_agg(${
    isWhole ? WHOLE_CHANGE : changeUpTo(COMPARED_LENGTH)
  } order by change_id), '[]'
        )
        from (
          select changes.*, kinds_of_changes as kinds
          from changes
          where changes.run_id = listed.run_id
            and changes.release_item_id = listed.release_item_id
            and ${isFieldShown(search.variant)}
        ) as own
      ) as changes
    from listed
    join items using (release_item_id)
    left join import_runs using (run_id)
    order by ${first === "newest" ? sql`listed.day desc, entry_id desc` : ORDERS.oldest}
  `);
}

/** How many entries there are: in all, of each kind, and by the heaviest kind of each. */
export async function countEntries(
  connection: Connection,
  search: EntrySearch,
): Promise<{ total: number; kinds: KindCounts; heaviest: KindCounts }> {
  const counted = await connection.query<{ kinds: ChangeKind[]; count: number }>(sql`
    select ${kindsFor(search.variant)} as kinds, count(*)::int as count
    from change_entries
    join items using (release_item_id)
    where ${isWanted(search)}
    group by 1
  `);
  const sum = (some: (kinds: ChangeKind[]) => boolean) =>
    counted.reduce((sum, { kinds, count }) => some(kinds) ? sum + count : sum, 0);
  const byKind = (has: (kind: ChangeKind, kinds: ChangeKind[]) => boolean): KindCounts =>
    Object.fromEntries(
      CHANGE_KINDS.map((kind) => [kind, sum((kinds) => has(kind, kinds))] as const)
        .filter(([, count]) => count > 0),
    );
  return {
    total: sum(() => true),
    kinds: byKind((kind, kinds) => kinds.includes(kind)),
    heaviest: byKind((kind, kinds) => kind === heaviestKind(kinds)),
  };
}

/** The condition that an entry, a row of `change_entries` with its `items`, is wanted. */
export function isWanted(
  { variant, isCovered = sql`true`, kind, after, upTo, from, to, onlyNews = false }: EntrySearch,
): Sql {
  const kinds = kindsFor(variant);
  return every([
    isCovered,
    // What a variant hides is of no kind.
    sql`cardinality(${kinds}) > 0`,
    kind ? sql`${kinds} && ${[...kind]}::text[]` : sql`true`,
    onlyNews ? IS_NEWS : sql`true`,
    after === undefined ? sql`true` : sql`entry_id > ${after}::bigint`,
    upTo === undefined ? sql`true` : sql`entry_id <= ${upTo}::bigint`,
    isWithin(sql`day`, { from, to }),
  ]);
}

/** The condition that a day is one of some, both included. */
export function isWithin(day: Sql, { from, to }: Pick<EntrySearch, "from" | "to">): Sql {
  return every([
    from === undefined ? sql`true` : sql`${day} >= ${from}::date`,
    to === undefined ? sql`true` : sql`${day} <= ${to}::date`,
  ]);
}
