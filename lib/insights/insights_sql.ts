import { type Connection, queryOne } from "../database/database.ts";
import { type Sql, sql } from "../database/sql.ts";
import { type Figures, listOf } from "./figures_sql.ts";
import type { InsightsRow, InsightsScope, PromiseCounts } from "./insights_row.ts";
import { countPromises } from "./promise_counts_sql.ts";
import { ofEachProduct, quarterNumber, releaseFacts } from "./release_facts_sql.ts";

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
function listMoved({ limits }: InsightsScope): Figures {
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
        select ${NAMED}, moves, first_date, slip
        from most_moved
        join items using (release_item_id)
        order by abs(slip) desc nulls last, moves desc, release_item_id
      `)
    } as moved
    `,
  };
}

/** What shipped in the current quarter, and what is planned for it. */
function listShipped({ today, limits }: InsightsScope): Figures {
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
        select ${NAMED}, delivered_on, first_promised
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
      (select to_jsonb(preview_counts) from preview_counts) as preview,
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
const NAMED = sql`
  release_item_id, items.feature_name, items.product_name, items.release_status, items.active,
  items.release_date
`;

const PREVIEW_TIMES = sql`
  count(days)::int as finished,
  percentile_cont(0.5) within group (order by days) as median_days,
  count(days_so_far)::int as current,
  percentile_cont(0.5) within group (order by days_so_far) as median_days_so_far
`;
