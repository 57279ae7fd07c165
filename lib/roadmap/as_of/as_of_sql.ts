import { type Connection, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { HAS_KNOWN_STATUS, IS_OPEN, isOneOfIds } from "../filter/conditions_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { dayNamed, whereFilter } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import type { Outcome } from "./comparison.ts";

/**
 * The items as they were known at the end of a day, in the columns of `items` that are searched and
 * shown: what the first later import replaced, and what none did. With ids, only those.
 */
function itemsAsOf(day: string, ids?: readonly string[]): Sql {
  const isWanted = isOneOfIds(ids);
  return sql`
    with later_runs as materialized (
      select run_id from import_runs where as_of > ${day}::date
    ),
    added_later as materialized (
      select release_item_id from changes
      where kind = 'added' and run_id in (select run_id from later_runs) and ${isWanted}
    ),
    replaced as materialized (
      select release_item_id, min(version_id) as version_id
      from item_versions
      where run_id in (select run_id from later_runs) and ${isWanted}
      group by release_item_id
    )
    select known.*, search_text, words, title_words, language
    from (
      select ${COLUMNS}
      from item_rows
      where ${isWanted} and release_item_id not in (select release_item_id from replaced)
      union all
      select ${COLUMNS}
      from item_versions
      where version_id in (select version_id from replaced)
    ) as known
    left join item_texts using (text_id)
    left join source_languages using (source)
    where release_item_id not in (select release_item_id from added_later)
  `;
}

/** The columns that both tables have, before and after the release date. */
const ROW = {
  before: sql`release_item_id, source, created, feature_name`,
  after: sql`
  release_type, release_status,
  product_id, product_name, product_names, tags, dates, feature_description, blog_title, blog_url,
  active, tone, tone_by, last_modified, text_id
`,
};
const COLUMNS = sql`${ROW.before}, release_date, ${ROW.after}`;

/** Items whose release date is a named one, in any case: null where they have none; absent: as they are. */
function itemsBy(dateName: string | undefined, items: Sql): Sql {
  if (dateName === undefined) return items;
  return sql`
    select ${ROW.before}, ${dayNamed(dateName, sql`dates`)} as release_date, ${ROW.after},
      search_text, words, title_words, language
    from (${items}) as items
  `;
}

const ALL = sql`select * from items`;

/** A connection whose statements find the items of a day, or some, where they name `items`. */
export function connectAsOf(
  database: Connection,
  day: string,
  ids?: readonly string[],
): Connection {
  return connectTo(itemsAsOf(day, ids), database);
}

/**
 * A connection whose statements find, where they name `items`, releases whose `release_date` is the
 * named date that is asked by, in any case: null where a release has none. Nothing else has to know.
 */
export function connectByDate(database: Connection, name: string | undefined): Connection {
  return name === undefined ? database : connectTo(itemsBy(name, ALL), database);
}

function connectTo(items: Sql, database: Connection): Connection {
  return {
    // A statement may have a `with` of its own, of which there can be only one at a level.
    query: (statement) =>
      database.query(sql`
        -- Read twice, it is computed twice, but only what is read of it, by way of the indexes.
        with items as not materialized (${items})
        select * from (${statement}) as answer
      `),
    script: () => Promise.reject(new Error("Of these items nothing is changed")),
  };
}

/** The as-of day of the first import that succeeded, `YYYY-MM-DD`; null: there was none. */
export async function readFirstDay(connection: Connection): Promise<string | null> {
  const [row] = await connection.query<{ day: string | null }>(sql`
    select min(as_of)::text as day
    from import_runs
    where is_good
  `);
  return row?.day ?? null;
}

/** Two days to compare; days as `YYYY-MM-DD`. */
interface ComparisonSearch {
  from: string;
  /** Null: as it is now. */
  to: string | null;
  /** Of releases as they were on the first day; of added ones, as on the second. */
  filter: ItemFilter;
  /** What counts as a move: that the date changes, or only that its quarter does. */
  precision: Variant["datePrecision"];
  limit: number;
  /** The name of the date that is compared; absent: the release date. */
  dateName?: string;
}

/** A release that was planned on the first day, as it is on the second; dates as `YYYY-MM-DD`. */
export interface ComparedRelease {
  release_item_id: string;
  feature_name: string;
  product_name: string;
  release_status: string;
  tone: string;
  outcome: Outcome;
  date_before: string | null;
  date_after: string | null;
  /** Its named dates, as a change holds them. */
  named_before: string;
  named_after: string;
  /** It is on the roadmap today, whatever it was on the second day. */
  active: boolean;
  language: string | null;
}

/** What became of the roadmap of a day. */
export interface Comparison {
  counts: Partial<Record<Outcome, number>>;
  /** Releases on the roadmap of the second day that were never on it by the first. */
  added: number;
  /** The first ones of each outcome, by product, name and id; of moves the furthest first. */
  releases: ComparedRelease[];
}

/** Compares two days, in one statement and so of one moment. */
export function readComparison(
  connection: Connection,
  search: ComparisonSearch,
): Promise<Comparison> {
  return queryOne(
    connection,
    sql`
      with ${comparedReleases(search)}
      select
        (
          select coalesce(jsonb_object_agg(outcome, count), '{}')
          from (select outcome, count(*)::int as count from compared group by outcome) as counted
        ) as counts,
        (
          select count(*)::int from after
          where is_wanted
            and not exists (select from before where before.release_item_id = after.release_item_id)
        ) as added,
        (
          select coalesce(jsonb_agg(to_jsonb(listed) - 'place' order by place), '[]')
          from (
            select placed.*, items.active, items.language
            from placed
            join items using (release_item_id)
            where place <= ${search.limit}::int
          ) as listed
        ) as releases
    `,
  );
}

/** The tables `before` and `after` of all releases, `compared` of planned ones, in order `placed`. */
function comparedReleases(search: ComparisonSearch): Sql {
  const { from, to, filter, precision, dateName } = search;
  const onRoadmap = whereFilter({ ...filter, include_inactive: false });
  return sql`
    before as materialized (
      select release_item_id, release_date, dates,
        ${IS_OPEN} and ${HAS_KNOWN_STATUS} and ${onRoadmap} as is_planned
      from (${itemsBy(dateName, itemsAsOf(from))}) as items
    ),
    after as materialized (
      select release_item_id, feature_name, product_name, release_status, tone, active,
        release_date, dates, ${onRoadmap} as is_wanted
      from (${itemsBy(dateName, to === null ? ALL : itemsAsOf(to))}) as items
    ),
    compared as (
      select release_item_id, feature_name, product_name, release_status, tone,
        before.release_date as date_before, after.release_date as date_after,
        before.dates::text as named_before, after.dates::text as named_after,
        ${outcomeOf(precision)} as outcome
      from before
      join after using (release_item_id)
      where is_planned
    ),
    placed as (
      select *,
        row_number() over (
          partition by outcome
          order by
            case when outcome in ('slipped', 'earlier') then abs(date_after - date_before) end
              desc nulls last,
            lower(product_name) collate "C", lower(feature_name) collate "C", release_item_id
        ) as place
      from compared
    )
  `;
}

/** What became of a release: what ended it comes before what became of its date. */
function outcomeOf(precision: Variant["datePrecision"]): Sql {
  const shown = (date: Sql) => precision === "day" ? date : sql`date_trunc('quarter', ${date})`;
  const dateBefore = shown(sql`before.release_date`);
  const dateAfter = shown(sql`after.release_date`);
  return sql`
    case
      when after.tone = 'shipped' then 'shipped'
      when after.tone = 'stopped' then 'cancelled'
      when not after.active then 'removed'
      when ${dateAfter} > ${dateBefore} then 'slipped'
      when ${dateAfter} < ${dateBefore} then 'earlier'
      when after.release_date is null and before.release_date is not null then 'undated'
      when before.release_date is null and after.release_date is not null then 'dated'
      else 'unchanged'
    end
  `;
}
