import { type Sql, sql } from "../database/sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { whereFilter } from "../roadmap/items_sql.ts";

/** Types and statuses with one of these words, in any case, say that a release is in preview. */
const PREVIEW_WORDS = "preview|beta";

/** More than any code has: `codeOfDate` comes up to 3,652,059. */
const CODES = 4_194_304;

/**
 * The tables of a `with`, the last of which is read: `facts`, a row for each release that passes
 * the filter, with what the changes say of it.
 *
 * What a field was at first is what its first change replaced; without a change, what it is. Dates,
 * statuses and types are small numbers here, so that one pass over the changes in their order is
 * enough: with the number of the import in front of it (`stamp`), the largest one up to a change is
 * what held then, and the smallest one of all is the first.
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
      where ${whereFilter(filter)}
    ),
    steps as materialized (
      select release_item_id, run_id, max(day) as day,
        ${valuesOf("release_date")}, ${valuesOf("release_status")}, ${valuesOf("release_type")}
      from changes
      where field in ('release_date', 'release_status', 'release_type')
        and release_item_id in (select release_item_id from chosen)
      group by release_item_id, run_id
    ),
    ${CODED_CHANGES},
    ${HELD_VALUES},
    ${summedBy(precision)},
    facts as materialized (
      select release_item_id, product_names, source, release_date, active,
        tone = 'shipped' as is_shipped, tone = 'stopped' as is_stopped,
        -- the first date that it ever had, and how often that has moved
        ${dateOfCode(sql`first_date`)} as first_date, moves,
        -- the first date that it had while it was still to come, and the import that showed it;
        -- 0: its first one
        ${dateOfCode(codeIn(sql`promise`))} as first_promised,
        (promise / ${CODES}::bigint)::int as promised_in_run,
        -- the day on which it shipped, if it was seen to, and has not been taken back
        case when tone = 'shipped' then delivered_on end as delivered_on,
        -- the days on which it came to preview, if it was seen to, and left it
        preview_from, case when preview_from is not null then preview_to end as preview_to
      from chosen
      join summed using (release_item_id)
    )
  `;
}

/** The changes of each import with their statuses, types and dates as numbers. */
const CODED_CHANGES = sql`
  -- 2: it is in preview; with codeOfTone, 1: it has shipped, 4: it has stopped
  statuses as materialized (
    select value, case when value ~* ${PREVIEW_WORDS} then 2 else 0 end as code
    from (
      select distinct release_status as value from chosen
      union select distinct old_release_status from steps
      union select distinct new_release_status from steps
    ) as known
  ),
  -- 1: it is a preview
  types as materialized (
    select value, case when value ~* ${PREVIEW_WORDS} then 1 else 0 end as code
    from (
      select distinct release_type as value from chosen
      union select distinct old_release_type from steps
      union select distinct new_release_type from steps
    ) as known
  ),
  changed as materialized (
    select release_item_id, run_id, steps.day,
      ${codeOfDate(sql`old_release_date`)} as old_date,
      ${codeOfDate(sql`new_release_date`)} as new_date,
      old_status.code + ${codeOfTone(sql`tone_before`)} as old_status,
      new_status.code + ${codeOfTone(sql`tone_after`)} as new_status,
      old_type.code as old_type, new_type.code as new_type
    from steps
    join change_entries using (release_item_id, run_id)
    left join statuses as old_status on old_status.value = old_release_status
    left join statuses as new_status on new_status.value = new_release_status
    left join types as old_type on old_type.value = old_release_type
    left join types as new_type on new_type.value = new_release_type
  )
`;

/** What each release was at first and after each import that changed it, and what that says. */
const HELD_VALUES = sql`
  at_first as (
    select release_item_id,
      ${codeIn(sql`min(${stamp(sql`old_date`)})`)} as date,
      ${codeIn(sql`min(${stamp(sql`old_status`)})`)} as status,
      ${codeIn(sql`min(${stamp(sql`old_type`)})`)} as type
    from changed
    group by release_item_id
  ),
  -- A release at first, as import 0, and what later imports changed of it.
  moments as (
    select release_item_id, 0 as run_id, null as day,
      coalesce(at_first.date, ${codeOfDate(sql`coalesce(release_date::text, '')`)}) as date,
      coalesce(at_first.status, statuses.code + ${codeOfTone(sql`tone`)}) as status,
      coalesce(at_first.type, types.code) as type
    from chosen
    join statuses on statuses.value = release_status
    join types on types.value = release_type
    left join at_first using (release_item_id)
    union all
    select release_item_id, run_id, day, new_date, new_status, new_type from changed
  ),
  held as (
    select release_item_id, run_id, day, nullif(date, 0) as new_date,
      ${codeIn(sql`max(${stamp(sql`nullif(date, 0)`)}) over to_here`)} as last_date,
      ${codeIn(sql`max(${stamp(sql`date`)}) over to_here`)} as date,
      ${codeIn(sql`max(${stamp(sql`status`)}) over to_here`)} as status,
      ${codeIn(sql`max(${stamp(sql`type`)}) over to_here`)} as type
    from moments
    window to_here as (partition by release_item_id order by run_id)
  ),
  staged as (
    select release_item_id, run_id, day, new_date, last_date, date,
      status & 1 = 1 as is_shipped, status & 4 = 4 as is_stopped,
      status & 2 = 2 or status & 1 = 1 and type = 1 as is_preview,
      status & 1 = 1 and type = 0 as is_general
    from held
  ),
  followed as (
    select *,
      lag(last_date) over to_here as date_before,
      lag(is_shipped) over to_here as was_shipped,
      bool_or(is_preview) over to_here as had_preview
    from staged
    window to_here as (partition by release_item_id order by run_id)
  )
`;

/** A row for each release: the first, the last and the number of what its changes say. */
function summedBy(precision: "quarter" | "day"): Sql {
  return sql`
    summed as (
      select release_item_id,
        ${codeIn(sql`min(${stamp(sql`new_date`)})`)} as first_date,
        count(*) filter (where ${hasMoved(precision)})::int as moves,
        min(${stamp(sql`date`)}) filter (where date > 0 and not is_shipped and not is_stopped)
          as promise,
        max(day) filter (where is_shipped and not was_shipped) as delivered_on,
        (array_agg(day order by run_id) filter (where is_preview))[1] as preview_from,
        min(day) filter (where is_general and had_preview) as preview_to
      from followed
      group by release_item_id
    )
  `;
}

/** Quarters counted through: the year times 4, plus 0 to 3. */
export function quarterNumber(day: Sql): Sql {
  return sql`(date_part('year', ${day}) * 4 + date_part('quarter', ${day}) - 1)::int`;
}

/** What a field was and what it became, in the changes of one import; the empty text: nothing. */
function valuesOf(field: "release_date" | "release_status" | "release_type"): Sql {
  const [old, name] = {
    release_date: [sql`old_release_date`, sql`new_release_date`],
    release_status: [sql`old_release_status`, sql`new_release_status`],
    release_type: [sql`old_release_type`, sql`new_release_type`],
  }[field];
  return sql`
    max(coalesce(old_value, '')) filter (where field = ${field}) as ${old},
    max(coalesce(new_value, '')) filter (where field = ${field}) as ${name}
  `;
}

/** A day, or the empty text for none, as a number; 0: none. */
function codeOfDate(text: Sql): Sql {
  return sql`
    case ${text} when '' then 0 else ${text}::date - date '0001-01-01' + 1 end
  `;
}

function codeOfTone(tone: Sql): Sql {
  return sql`case ${tone} when 'shipped' then 1 when 'stopped' then 4 else 0 end`;
}

function dateOfCode(code: Sql): Sql {
  return sql`(date '0001-01-01' + ${code} - 1)`;
}

/** A code behind the number of its import: the later one is the larger one. */
function stamp(code: Sql): Sql {
  return sql`(run_id::bigint * ${CODES}::bigint + ${code})`;
}

function codeIn(stamped: Sql): Sql {
  return sql`(${stamped} % ${CODES}::bigint)::int`;
}

/** A date shown as a quarter has not moved if it changed within that quarter. */
function hasMoved(precision: "quarter" | "day"): Sql {
  const differs = sql`new_date <> date_before`;
  if (precision === "day") return differs;
  const [now, before] = [sql`new_date`, sql`date_before`].map((code) =>
    quarterNumber(dateOfCode(code))
  );
  return sql`${differs} and ${now} <> ${before}`;
}

/** The rows of a table once for each product of their release, as `product_name`. */
export function ofEachProduct(table: Sql): Sql {
  return sql`${table} cross join unnest(product_names) as product (product_name)`;
}
