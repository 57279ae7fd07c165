import { type Connection, queryOne } from "../../database/database.ts";
import { Sql, sql } from "../../database/sql.ts";
import { FIELD_BOUNDARY } from "../../text/match_words.ts";
import { HAS_KNOWN_STATUS, IS_OPEN } from "../filter/conditions_sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { whereFilter } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import type { Outcome } from "./comparison.ts";

/**
 * The items as they were known at the end of a day, in the columns of `items`: those of today, with
 * the changes undone that later imports made. With ids, only those, whose changes an index finds.
 */
function itemsAsOf(day: string, ids?: readonly string[]): Sql {
  const isWanted = ids ? sql`release_item_id = any(${[...ids]}::uuid[])` : sql`true`;
  return sql`
    with later_runs as materialized (
      select run_id from import_runs where as_of > ${day}::date
    ),
    later as (
      select release_item_id, coalesce(field, 'active') as field, kind = 'added' as is_added,
        case kind when 'removed' then 'true' when 'restored' then 'false' else old_value end
          as old_value,
        change_id
      from changes
      where run_id in (select run_id from later_runs) and ${isWanted}
      union all
      ${PRODUCT_CHANGES} and ${isWanted}
      union all
      select release_item_id, 'tone', false, tone_before, entry_id
      from change_entries
      where run_id in (select run_id from later_runs) and ${isWanted}
    ),
    undone as (
      select release_item_id, bool_or(is_added) as is_added,
        -- Of several values of a field, the last one stays: that of the earliest change.
        jsonb_object_agg(field, old_value order by change_id desc) as fields
      from later
      group by release_item_id
    )
    select items.release_item_id, source, created, ${changed("feature_name")},
      ${changed("release_date", sql`date`)}, ${changed("release_type")},
      ${changed("release_status")}, ${changed("product_id", sql`uuid`)},
      ${changed("product_name")},
      case when fields ? 'product_names' then ${PRODUCTS} else items.product_names end
        as product_names,
      ${changed("tags", sql`jsonb`)}, ${changed("feature_description")}, ${changed("blog_title")},
      ${changed("blog_url")}, ${changed("active", sql`boolean`)}, ${changed("tone")},
      -- An earlier status had its tone by words.
      case when fields ? 'release_status' then 'word' else items.tone_by end as tone_by,
      case
        when fields is null and items.last_modified <= ${day}::date then items.last_modified
        else coalesce(last_before.day, items.last_modified)
      end as last_modified,
      case when fields is null then items.search_text else ${SEARCH_TEXT} end as search_text,
      case when ${HAS_OTHER_WORDS} then words_of(${SEARCH_TEXT}, ${TAGS}) else items.words end
        as words,
      case when ${HAS_OTHER_WORDS} then title_words_of(${SEARCH_TEXT}) else items.title_words end
        as title_words
    from items
    left join undone using (release_item_id)
    left join (
      select release_item_id, max(day) as day
      from changes
      where run_id not in (select run_id from later_runs) and ${isWanted}
      group by release_item_id
    ) as last_before using (release_item_id)
    where is_added is not true
  `;
}

/**
 * A column of `items` as it was. Columns on their own, instead of whole rows, so that a statement
 * computes only those that it reads.
 */
function changed(column: string, type = sql`text`): Sql {
  const name = new Sql([column], []);
  return sql`
    case when fields ? ${column} then (fields ->> ${column})::${type} else items.${name} end as ${name}
  `;
}

/** The first product and the list of all change together; one of them is stored. */
const PRODUCT_CHANGES = sql`
  select release_item_id,
    case field when 'product_name' then 'product_names' else 'product_name' end, false,
    case field
      when 'product_name' then jsonb_build_array(old_value)::text
      else old_value::jsonb->>0
    end,
    change_id
  from changes
  where run_id in (select run_id from later_runs)
    and field in ('product_name', 'product_names')
`;

/** What the products and tags were. */
const PRODUCTS = sql`array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb))`;
const TAGS = sql`case when fields ? 'tags' then (fields ->> 'tags')::jsonb else items.tags end`;

/** The condition that words were others: cutting a text into words takes long. */
const HAS_OTHER_WORDS = sql`
  fields ?| array['feature_name', 'feature_description', 'product_names', 'tags']
`;

/** The folded text of the parts; one that has not changed is folded already. */
const SEARCH_TEXT = sql`concat_ws(
  ${FIELD_BOUNDARY}, ${foldedPart("feature_name", 1)}, ${foldedPart("feature_description", 2)},
  ${foldedPart("product_names", 3, sql`array_to_string(${PRODUCTS}, E'\n')`)}
)`;

function foldedPart(name: string, place: number, text = sql`fields ->> ${name}`): Sql {
  return sql`
    case when fields ? ${name}
      then lower(normalize(coalesce(${text}, '')))
      else split_part(items.search_text, ${FIELD_BOUNDARY}, ${place}::int)
    end
  `;
}

/** A connection whose statements find the items of a day, or some, where they name `items`. */
export function connectAsOf(
  database: Connection,
  day: string,
  ids?: readonly string[],
): Connection {
  return {
    // A statement may have a `with` of its own, of which there can be only one at a level.
    query: (statement) =>
      database.query(sql`
        -- Read twice, it is computed twice, but of each item only what is read: its words take long.
        with items as not materialized (${itemsAsOf(day, ids)})
        select * from (${statement}) as answer
      `),
    script: () => Promise.reject(new Error("The past is only read")),
  };
}

/** The as-of day of the first import that succeeded, `YYYY-MM-DD`; null: there was none. */
export async function readFirstDay(connection: Connection): Promise<string | null> {
  const [row] = await connection.query<{ day: string | null }>(sql`
    select min(as_of)::text as day
    from import_runs
    where finished_at is not null and error is null
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
  /** The most releases of one outcome. */
  limit: number;
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
  /** It is on the roadmap today, whatever it was on the second day. */
  active: boolean;
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
            select placed.*, items.active
            from placed
            join items using (release_item_id)
            where place <= ${search.limit}::int
          ) as listed
        ) as releases
    `,
  );
}

/** The tables `before` and `after` of all releases, `compared` of planned ones, in order `placed`. */
function comparedReleases({ from, to, filter, precision }: ComparisonSearch): Sql {
  const onRoadmap = whereFilter({ ...filter, include_inactive: false });
  return sql`
    before as materialized (
      select release_item_id, release_date,
        ${IS_OPEN} and ${HAS_KNOWN_STATUS} and ${onRoadmap} as is_planned
      from (${itemsAsOf(from)}) as items
    ),
    after as materialized (
      select release_item_id, feature_name, product_name, release_status, tone, active,
        release_date, ${onRoadmap} as is_wanted
      from (${to === null ? sql`select * from items` : itemsAsOf(to)}) as items
    ),
    compared as (
      select release_item_id, feature_name, product_name, release_status, tone,
        before.release_date as date_before, after.release_date as date_after,
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
