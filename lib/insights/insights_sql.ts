import { type Connection, queryOne } from "../database/database.ts";
import { type Sql, sql } from "../database/sql.ts";
import type { Insights, InsightsScope, PromiseCounts } from "./insights.ts";
import { ofEachProduct, quarterNumber, releaseFacts } from "./release_facts_sql.ts";

/** All figures, named and written as they are shown. */
interface InsightsRow extends Pick<Insights, "watched"> {
  promises: PromiseCounts;
  promises_by_quarter: Insights["promises"]["by_quarter"];
  promises_by_product: Insights["promises"]["by_product"];
  moved_total: number;
  moved: Insights["moved"]["releases"];
  shipped_total: number;
  planned_total: number;
  shipped: Insights["shipped"]["releases"];
  current_by_product: Insights["shipped"]["by_product"];
  preview: Omit<Insights["preview"], "by_product">;
  preview_by_product: Insights["preview"]["by_product"];
}

/** Computes all figures from the changes, in one statement and so of one moment. */
export function readInsightsRow(
  connection: Connection,
  query: InsightsScope,
): Promise<InsightsRow> {
  const promises = countPromises(query);
  const moved = listMoved(query);
  const shipped = listShipped(query);
  const previews = timePreviews(query);
  return queryOne(
    connection,
    sql`
      with ${releaseFacts(query.filter, query)},
        ${promises.tables}, ${moved.tables}, ${shipped.tables}, ${previews.tables}
      select ${promises.figures}, ${moved.figures}, ${shipped.figures}, ${previews.figures}
    `,
  );
}

/** Counts only what became of the promises, in all. */
export async function readPromiseCounts(
  connection: Connection,
  given: Pick<InsightsScope, "filter" | "today" | "quarters">,
): Promise<PromiseCounts> {
  const query: InsightsScope = {
    ...given,
    limits: { releases: 0, products: 0 },
    precision: "quarter",
  };
  const { tables, figures } = countPromises(query);
  const { promises } = await queryOne<Pick<InsightsRow, "promises">>(
    connection,
    sql`with ${releaseFacts(query.filter, query)}, ${tables} select ${figures}`,
  );
  return promises;
}

/** The releases whose dates moved, those furthest from their first date first. */
function listMoved({ limits, precision }: InsightsScope): Figures {
  return {
    tables: sql`
      moved as (
        select release_item_id, moves, first_date,
          ${quarterNumber(sql`release_date`)} - ${quarterNumber(sql`first_date`)} as slip
        from facts
        where moves > 0
      ),
      most_moved as (
        select * from moved
        order by abs(slip) desc nulls last, moves desc, release_item_id
        limit ${limits.releases}
      )
    `,
    figures: sql`
      (select count(*)::int from moved) as moved_total,
      ${
      listOf(sql`
        select ${namedRelease(precision)}, moves,
          ${shown(sql`first_date`, precision)} as first_release_date, slip as slip_quarters
        from most_moved
        join items using (release_item_id)
        order by abs(slip) desc nulls last, moves desc, release_item_id
      `)
    } as moved
    `,
  };
}

/** What shipped in the current quarter, and what is planned for it. */
function listShipped({ today, limits, precision }: InsightsScope): Figures {
  const current = quarterNumber(sql`${today}::date`);
  const isCurrent = (day: Sql) => sql`${quarterNumber(day)} = ${current}`;
  const isPlanned = sql`(active and not is_shipped and not is_stopped and ${
    isCurrent(sql`release_date`)
  })`;
  return {
    tables: sql`
      shipped as (
        select release_item_id, delivered_on, first_promised
        from facts
        where ${isCurrent(sql`delivered_on`)}
      ),
      current_counts as (
        select product_name,
          (count(*) filter (where ${isCurrent(sql`delivered_on`)}))::int as shipped,
          (count(*) filter (where ${isPlanned}))::int as planned
        from ${ofEachProduct(sql`facts`)}
        where ${isCurrent(sql`delivered_on`)} or ${isPlanned}
        group by product_name
      ),
      last_shipped as (
        select * from shipped
        order by delivered_on desc, release_item_id
        limit ${limits.releases}
      )
    `,
    figures: sql`
      (select count(*)::int from shipped) as shipped_total,
      (select count(*)::int from facts where ${isPlanned}) as planned_total,
      ${
      listOf(sql`
        select ${namedRelease(precision)}, delivered_on,
          ${shown(sql`first_promised`, precision)} as first_promised
        from last_shipped
        join items using (release_item_id)
        order by delivered_on desc, release_item_id
      `)
    } as shipped,
      ${
      listOf(sql`
        select * from current_counts
        order by shipped desc, planned desc, product_name collate "C"
        limit ${limits.products}
      `)
    } as current_by_product
    `,
  };
}

/** How long releases were in preview, and how long others have been. */
function timePreviews({ today, limits }: InsightsScope): Figures {
  return {
    tables: sql`
      previews as (
        select product_names, preview_to - preview_from as days,
          case
            when preview_to is null and active and not is_stopped
            then ${today}::date - preview_from
          end as days_so_far
        from facts
        where preview_from is not null
      ),
      preview_counts as (select ${PREVIEW_TIMES} from previews),
      product_previews as (
        select product_name, ${PREVIEW_TIMES}
        from ${ofEachProduct(sql`previews`)}
        group by product_name
      )
    `,
    figures: sql`
      (select to_json(preview_counts) from preview_counts) as preview,
      ${
      listOf(sql`
        select * from product_previews
        order by finished + current desc, product_name collate "C"
        limit ${limits.products}
      `)
    } as preview_by_product
    `,
  };
}

/** What a list says of a release. */
function namedRelease(precision: InsightsScope["precision"]): Sql {
  return sql`
    release_item_id, items.feature_name, items.product_name, items.release_status,
    ${shown(sql`items.release_date`, precision)} as release_date, items.active
  `;
}

/** A planned day as a variant writes it. */
function shown(day: Sql, precision: InsightsScope["precision"]): Sql {
  return precision === "day" ? day : sql`to_char(${day}, '"Q"Q YYYY')`;
}

const PREVIEW_TIMES = sql`
  count(days)::int as finished,
  percentile_cont(0.5) within group (order by days) as median_days,
  count(days_so_far)::int as current,
  percentile_cont(0.5) within group (order by days_so_far) as median_days_so_far
`;

/** What happened to the releases that were first promised for the quarters that are looked at. */
function countPromises({ today, quarters, limits }: InsightsScope): Figures {
  const current = quarterNumber(sql`${today}::date`);
  return {
    tables: sql`
      ${watchedPromises(current, quarters)},
      promise_counts as (
        select quarter, ${COUNTS}
        from generate_series(${current} - ${quarters}::int, ${current} - 1) as quarter
        left join due on promised = quarter
        group by grouping sets ((), (quarter))
      ),
      product_promises as (
        select product_name, ${COUNTS}
        from ${ofEachProduct(sql`due`)}
        group by product_name
      )
    `,
    figures: sql`
      (
        select to_json(counted)
        from (select ${COUNTED} from promise_counts where quarter is null) as counted
      ) as promises,
      ${
      listOf(sql`
        select 'Q' || number % 4 + 1 || ' ' || number / 4 as quarter, ${COUNTED}
        from (select quarter as number, * from promise_counts) as numbered
        where number is not null
        order by number
      `)
    } as promises_by_quarter,
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
      where is_good
        -- The removal of a source is noted as an import, but nothing was read.
        and run_kind <> 'removal'
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
  ${countDue(sql`delivered <= promised`)} as in_time,
  ${countDue(sql`delivered < promised`)} as earlier,
  ${countDue(sql`delivered = promised`)} as in_quarter,
  ${countDue(sql`delivered > promised`)} as late,
  ${countDue(sql`delivered is null and is_open and planned <> promised`)} as moved,
  ${countDue(sql`delivered is null and is_open and coalesce(planned = promised, true)`)} as open,
  ${countDue(sql`delivered is null and not is_open`)} as dropped,
  (count(*) filter (where was_watched and not is_due))::int as too_early,
  (count(*) filter (where not was_watched))::int as not_watched,
  round(
    ${countDue(sql`delivered <= promised`)}::numeric / nullif(${countDue(sql`true`)}, 0), 4
  ) as share_in_time,
  percentile_cont(0.5) within group (order by slip) as median_slip_quarters
`;
const COUNTED = sql`
  due, in_time, earlier, in_quarter, late, moved, open, dropped, too_early, not_watched, share_in_time,
  median_slip_quarters
`;

/** Some figures: the tables of the `with` that they come from, and their columns. */
interface Figures {
  tables: Sql;
  figures: Sql;
}

/** The rows of a query, in its order, as one array of objects. */
function listOf(rows: Sql): Sql {
  return sql`(select coalesce(json_agg(listed), '[]') from (${rows}) as listed)`;
}
