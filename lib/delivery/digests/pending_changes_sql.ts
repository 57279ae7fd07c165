import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { IS_NEWS } from "../../roadmap/changes/changes_sql.ts";
import {
  type NetChanges,
  type NetView,
  readNetChanges,
} from "../../roadmap/changes/net_changes_sql.ts";
import { isDue } from "../../roadmap/filter/conditions_sql.ts";
import { dueDays, type DuePeriod } from "../../roadmap/filter/filter_values.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import { LISTED_ITEM } from "../../roadmap/items_sql.ts";
import { isChosenBy } from "../../roadmap/words/searches_sql.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";

/** What of preferences says which releases are covered. */
export type Covering = Pick<Preferences, "scope" | "filter" | "releases">;

/** What a message covers, and the change that the one before it ended with. */
export type PendingFor = Covering & { last_notified_change: string };

/** Up to which change releases are read, how many, and as of which day, `YYYY-MM-DD`. */
interface PendingOptions {
  upTo: string;
  view: NetView;
  limit: number;
  today: string;
  /** The most characters of a value. */
  textLength: number;
}

/** What became of the releases that a group covers, after its last digest, up to a change. */
export async function readPendingChanges(
  connection: Connection,
  group: PendingFor,
  { today, ...options }: PendingOptions,
): Promise<NetChanges> {
  return await readNetChanges(connection, {
    ...options,
    after: group.last_notified_change,
    isCovered: await isCoveredBy(connection, group, today),
    kinds: group.filter.kind,
  });
}

/** The condition that an item is covered on a day, `YYYY-MM-DD`, by what a group has chosen. */
async function isCoveredBy(
  connection: Connection,
  { scope, filter, releases }: Covering,
  today: string,
): Promise<Sql> {
  if (scope === "all") return sql`true`;
  const isWatched = sql`release_item_id = any(${releases}::uuid[])`;
  if (scope === "watched") return isWatched;
  return sql`(${isWatched} or ${await isChosenBy(connection, filter, today)})`;
}

/**
 * The changes of the last days up to the newest one, as the change before them and the last of
 * them; null where nothing has changed.
 */
export async function readLastDays(
  connection: Connection,
  days: number,
): Promise<{ after: string; upTo: string } | null> {
  const [found] = await connection.query<{ after: string | null; upTo: string }>(sql`
    select (min(change_id) - 1)::text as after, max(change_id)::text as "upTo"
    from changes
    where ${IS_NEWS} and day > (select max(day) from changes where ${IS_NEWS}) - ${days}::int
  `);
  return found && found.after !== null ? { after: found.after, upTo: found.upTo } : null;
}

/**
 * The first releases of a period that a group covers, with their number in all: what is nearest to
 * the day comes first.
 */
export async function readDueReleases(
  connection: Connection,
  group: Covering,
  { period, today, limit }: { period: DuePeriod; today: string; limit: number },
): Promise<{ items: ListedItem[]; total: number }> {
  const isCovered = await isCoveredBy(connection, group, today);
  const rows = await connection.query<ListedItem & { total: number }>(sql`
    select ${LISTED_ITEM}, count(*) over ()::int as total
    from items
    where active and ${isDue(dueDays(period, today))} and ${isCovered}
    order by abs(items.release_date - ${today}::date), lower(product_name) collate "C",
      lower(feature_name) collate "C", release_item_id
    limit ${limit}
  `);
  return { items: rows, total: rows[0]?.total ?? 0 };
}
