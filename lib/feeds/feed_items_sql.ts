import type { Connection } from "../database/database.ts";
import { type Sql, sql } from "../database/sql.ts";
import { IS_NEWS, shortened } from "../roadmap/changes/changes_sql.ts";
import {
  netChanges,
  type NetRelease,
  netValues,
  type NetView,
} from "../roadmap/changes/net_changes_sql.ts";
import type { ChangeKind } from "../roadmap/changes/kinds.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import type { Item, ListedItem } from "../roadmap/item.ts";
import { LISTED_ITEM, NEWEST_FIRST, orderItems, whereFilter } from "../roadmap/items_sql.ts";

/** A release as a feed shows it, with what its last day did to it; of no kind where that is nothing. */
export type FeedItem =
  & ListedItem
  & Pick<Item, "feature_description" | "blog_url">
  & Pick<NetRelease, "changes" | "kinds">
  & {
    /** When the last of several imports changed it on its day, in RFC 3339; null: there was one. */
    changed_again: string | null;
  };

/** A list of changes is no place for whole descriptions. */
const LISTED_VALUE = 200;
/** Of the descriptions of a feed no more is read, in characters: of each one, and of all together. */
const FEED_TEXT = { each: 20_000, all: 500_000 };

/** Which releases a feed has, and how they are shown. */
interface FeedQuery {
  limit: number;
  view: NetView;
  /** Absent: of any kind. */
  kinds?: readonly ChangeKind[];
}

/** The releases that pass a filter and were modified last. */
export function readRecentItems(
  connection: Connection,
  filter: ItemFilter,
  query: FeedQuery,
): Promise<FeedItem[]> {
  const order = orderItems(NEWEST_FIRST);
  return readItems(
    connection,
    sql`
      select items.release_item_id, last_modified, row_number() over (order by ${order}) as place
      from items
      where ${whereFilter(filter)}
      order by place
      limit ${query.limit}
    `,
    query,
  );
}

/** The releases with these ids, in the same order. */
export function readFeedItems(
  connection: Connection,
  ids: readonly string[],
  query: FeedQuery,
): Promise<FeedItem[]> {
  return readItems(
    connection,
    sql`
      select release_item_id, last_modified, place
      from unnest(${[...ids]}::uuid[]) with ordinality
        as given (release_item_id, place)
      join items using (release_item_id)
    `,
    query,
  );
}

/**
 * A release may be seen for the first time after the day that its source names. It counts as new
 * then, until something changes, or its source touches it again.
 */
const IS_ADDITION = sql`
  kind = 'added'
  and (select as_of from import_runs where import_runs.run_id = changes.run_id) >= last_modified
  and not exists (
    select from changes as later
    where later.release_item_id = changes.release_item_id and later.run_id > changes.run_id
  )
`;

/** @param chosen `release_item_id`, `last_modified` and `place` of the releases */
function readItems(
  connection: Connection,
  chosen: Sql,
  { limit, view, kinds }: FeedQuery,
): Promise<FeedItem[]> {
  // Who asks what shipped reads that it shipped, though it may have been added on the same day.
  const isAsked = kinds ? sql`(kind = 'changed' or kind = any(${[...kinds]}::text[]))` : sql`true`;
  const length = Math.min(FEED_TEXT.each, Math.floor(FEED_TEXT.all / limit));
  return connection.query(sql`
    with chosen as materialized (${chosen}),
    ${
    netChanges(
      sql`
        select change_id, release_item_id, run_id, day, kind, field
        from changes join chosen using (release_item_id)
        where ${IS_NEWS} and ${isAsked} and (day = last_modified or ${IS_ADDITION})
      `,
      view,
    )
  }
    select ${LISTED_ITEM}, blog_url, (
        select to_char(max(finished_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        from changes join import_runs using (run_id)
        where changes.release_item_id = items.release_item_id and changes.day = items.last_modified
        having count(distinct run_id) > 1
      ) as changed_again,
      ${shortened(sql`feature_description`, length)} as feature_description,
      coalesce(kinds, '{}') as kinds,
      case when kinds is null then '[]' else ${netValues(sql`net`, LISTED_VALUE)} end as changes
    from (select release_item_id, place from chosen) as chosen_items
    join items using (release_item_id)
    left join net using (release_item_id)
    order by place
  `);
}
