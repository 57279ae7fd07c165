import { type Sql, sql } from "../database/sql.ts";
import { type Figures, listOf } from "./figures_sql.ts";
import type { InsightsScope } from "./insights_row.ts";
import { ofEachProduct, quarterNumber } from "./release_facts_sql.ts";

/** What became of the releases that were first promised for the quarters that are looked at. */
export function countPromises({ today, quarters, limits }: InsightsScope): Figures {
  const current = quarterNumber(sql`${today}::date`);
  return {
    tables: sql`
      ${watchedPromises(current, quarters)},
      promise_counts as (
        select promised as quarter, ${COUNTS}
        from due
        group by grouping sets ((), (promised))
      ),
      product_promises as (
        select product_name, ${COUNTS}
        from ${ofEachProduct(sql`due`)}
        group by product_name
      )
    `,
    figures: sql`
      (select to_jsonb(promise_counts) from promise_counts where quarter is null) as promises,
      ${listOf(sql`select * from promise_counts where quarter is not null order by quarter`)}
        as promises_by_quarter,
      ${
      listOf(sql`
        select * from product_promises
        where due > 0
        order by due desc, product_name collate "C"
        limit ${limits.products}
      `)
    } as promises_by_product,
      ${
      listOf(sql`
        select source, from_day as from, to_day as to
        from watched
        order by source collate "C"
      `)
    } as watched
    `,
  };
}

/** The tables `watched` of sources and `due` of the promises that are looked at. */
function watchedPromises(current: Sql, quarters: number): Sql {
  return sql`
    -- From when to when each source was read.
    watched as (
      select source_name as source, min(as_of) as from_day, max(as_of) as to_day
      from import_runs
      where finished_at is not null and error is null
        -- The removal of a source is noted as an import, but nothing was read.
        and source <> '(removed)'
        and source_name in (select source from chosen)
      group by source_name
    ),
    first_runs as (
      select release_item_id, min(run_id) as first_run
      from change_entries
      where release_item_id in (select release_item_id from chosen)
      group by release_item_id
    ),
    promised as (
      select product_names, source, is_shipped, active and not is_stopped as is_open,
        release_item_id, promised_in_run,
        ${quarterNumber(sql`first_promised`)} as promised,
        ${quarterNumber(sql`delivered_on`)} as delivered,
        ${quarterNumber(sql`release_date`)} as planned
      from facts
      where first_promised is not null
    ),
    observed as (
      select product_names, is_shipped, is_open, promised, delivered, planned,
        ${quarterNumber(sql`to_day`)} as read,
        coalesce(${quarterNumber(sql`as_of`)} <= promised, false) as was_watched
      from promised
      left join watched using (source)
      left join first_runs using (release_item_id)
      left join import_runs
        on import_runs.run_id = coalesce(nullif(promised_in_run, 0), first_run)
      where promised between ${current} - ${quarters}::int and ${current} - 1
    ),
    due as (
      select product_names, is_open, promised, delivered, planned, was_watched,
        was_watched and coalesce(read > promised, false) as is_due,
        case
          when not was_watched or read <= promised then null
          when delivered is not null then delivered - promised
          when is_open then greatest(planned, read) - promised
        end as slip
      from observed
      -- Of what is called shipped by a changed mapping alone nobody saw the day.
      where delivered is not null or not is_shipped
    )
  `;
}

/** How many of the promises that can be judged are like this. */
function countDue(condition: Sql): Sql {
  return sql`(count(*) filter (where is_due and (${condition})))::int`;
}

/** What became of the rows of `due`. */
const COUNTS = sql`
  ${countDue(sql`true`)} as due,
  ${countDue(sql`delivered < promised`)} as earlier,
  ${countDue(sql`delivered = promised`)} as in_quarter,
  ${countDue(sql`delivered > promised`)} as late,
  ${countDue(sql`delivered is null and is_open and planned <> promised`)} as moved,
  ${countDue(sql`delivered is null and is_open and coalesce(planned = promised, true)`)} as open,
  ${countDue(sql`delivered is null and not is_open`)} as dropped,
  (count(*) filter (where was_watched and not is_due))::int as too_early,
  (count(*) filter (where not was_watched))::int as not_watched,
  percentile_cont(0.5) within group (order by slip) as median_slip
`;
