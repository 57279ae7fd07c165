import { type Sql, sql } from "../database/sql.ts";
import { HAS_KNOWN_STATUS } from "../roadmap/filter/conditions_sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { whereFilter } from "../roadmap/items_sql.ts";

/** Types and statuses with one of these words, in any case, say that a release is in preview. */
const PREVIEW_WORDS = "preview|beta";

/**
 * The tables of a `with`, the last of which is read: `facts`, a row for each release that passes
 * the filter, with what the changes say of it.
 */
export function releaseFacts(
  filter: ItemFilter,
  { precision }: { precision: "quarter" | "day" },
): Sql {
  return sql`
    chosen as materialized (
      select release_item_id, product_names, source, release_date, release_type, release_status, tone,
        active
      from items
      where ${HAS_KNOWN_STATUS} and ${whereFilter(filter)}
    ),
    ${MOMENTS},
    ${datesOf(precision)},
    ${STAGES},
    facts as materialized (
      select release_item_id, product_names, source, release_date, active,
        tone = 'shipped' as is_shipped, tone = 'stopped' as is_stopped,
        -- the first date that it ever had, and how often that has moved
        first_date, coalesce(moves, 0) as moves,
        -- the first date that it had while it was still to come, and the import that showed it;
        -- 0: its first one
        first_promised, promised_in_run,
        -- the day on which it shipped, if it was seen to, and has not been taken back
        case when tone = 'shipped' then delivered_on end as delivered_on,
        -- the days on which it came to preview, if it was seen to, and left it
        preview_from, case when preview_from is not null then preview_to end as preview_to
      from chosen
      join stages using (release_item_id)
      left join dates using (release_item_id)
    )
  `;
}

/**
 * What each release was at first, as import 0, and what later imports made of it; null: unchanged.
 * What a field was at first is what its first change replaced; without a change, what it is. The
 * empty text stands for no date.
 */
const MOMENTS = sql`
  changed as materialized (
    select steps.*, tone_before, tone_after
    from (
      select release_item_id, run_id, max(day) as day,
        ${valueOf("old_value", "release_date")} as old_date,
        ${valueOf("new_value", "release_date")} as new_date,
        ${valueOf("old_value", "release_status")} as old_status,
        ${valueOf("new_value", "release_status")} as new_status,
        ${valueOf("old_value", "release_type")} as old_type,
        ${valueOf("new_value", "release_type")} as new_type
      from changes
      where field in ('release_date', 'release_status', 'release_type')
        and release_item_id in (select release_item_id from chosen)
      group by release_item_id, run_id
    ) as steps
    join change_entries using (release_item_id, run_id)
  ),
  at_first as (
    select release_item_id,
      ${firstOf(sql`old_date`)} as date,
      ${firstOf(sql`old_status`)} as status,
      ${firstOf(sql`case when old_status is not null then tone_before end`)} as tone,
      ${firstOf(sql`old_type`)} as type
    from changed
    group by release_item_id
  ),
  moments as materialized (
    select release_item_id, 0 as run_id, null as day,
      coalesce(at_first.date, release_date::text, '') as date,
      coalesce(at_first.status, release_status) as status,
      coalesce(at_first.tone, chosen.tone) as tone,
      coalesce(at_first.type, release_type) as type
    from chosen
    left join at_first using (release_item_id)
    union all
    select release_item_id, run_id, day, new_date, new_status,
      case when new_status is not null then tone_after end, new_type
    from changed
  )
`;

/** A row for each release that ever had a date: the first one, and how often it moved. */
function datesOf(precision: "quarter" | "day"): Sql {
  return sql`
    dated as (
      select release_item_id, run_id, date::date as date,
        lag(date::date) over (partition by release_item_id order by run_id) as date_before
      from moments
      where date <> ''
    ),
    dates as (
      select release_item_id, ${firstOf(sql`date`)} as first_date,
        count(*) filter (where ${hasMoved(precision)})::int as moves
      from dated
      group by release_item_id
    )
  `;
}

/** A row for each release: when it was first promised, came to preview, and shipped. */
const STAGES = sql`
  numbered as (
    select *,
      count(date) over to_here as date_number,
      count(status) over to_here as status_number,
      count(type) over to_here as type_number
    from moments
    window to_here as (partition by release_item_id order by run_id)
  ),
  -- What is unchanged is what it was: each number has one value, that of its first import.
  held as (
    select release_item_id, run_id, day,
      max(date) over (partition by release_item_id, date_number) as date,
      max(status) over same_status as status,
      max(tone) over same_status as tone,
      max(type) over (partition by release_item_id, type_number) as type
    from numbered
    window same_status as (partition by release_item_id, status_number)
  ),
  judged as (
    select release_item_id, run_id, day, nullif(date, '')::date as date,
      tone = 'shipped' as is_shipped,
      date <> '' and tone not in ('shipped', 'stopped') as is_promised,
      status ~* ${PREVIEW_WORDS} or tone = 'shipped' and type ~* ${PREVIEW_WORDS} as is_preview,
      tone = 'shipped' and type !~* ${PREVIEW_WORDS} as is_general
    from held
  ),
  followed as (
    select *,
      lag(is_shipped) over to_here as was_shipped,
      bool_or(is_preview) over to_here as had_preview
    from judged
    window to_here as (partition by release_item_id order by run_id)
  ),
  stages as (
    select release_item_id,
      ${firstOf(sql`case when is_promised then date end`)} as first_promised,
      min(run_id) filter (where is_promised) as promised_in_run,
      max(day) filter (where is_shipped and not was_shipped) as delivered_on,
      (array_agg(day order by run_id) filter (where is_preview))[1] as preview_from,
      min(day) filter (where is_general and had_preview) as preview_to
    from followed
    group by release_item_id
  )
`;

/** Quarters counted through: the year times 4, plus 0 to 3. */
export function quarterNumber(day: Sql): Sql {
  return sql`(date_part('year', ${day}) * 4 + date_part('quarter', ${day}) - 1)::int`;
}

/** What a field was, or became, in the changes of one import; null: it did not change. */
function valueOf(value: "old_value" | "new_value", field: string): Sql {
  const column = value === "old_value" ? sql`old_value` : sql`new_value`;
  return sql`max(coalesce(${column}, '')) filter (where field = ${field})`;
}

/** The first value, in the order of the imports, that is not null. */
function firstOf(value: Sql): Sql {
  return sql`(array_agg(${value} order by run_id) filter (where ${value} is not null))[1]`;
}

/** A date shown as a quarter has not moved if it changed within that quarter. */
function hasMoved(precision: "quarter" | "day"): Sql {
  if (precision === "day") return sql`date <> date_before`;
  return sql`${quarterNumber(sql`date`)} <> ${quarterNumber(sql`date_before`)}`;
}

/** The rows of a table once for each product of their release, as `product_name`. */
export function ofEachProduct(table: Sql): Sql {
  return sql`${table} cross join unnest(product_names) as product (product_name)`;
}
