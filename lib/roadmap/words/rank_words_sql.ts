import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { orderItems, rankNames, whereFilter } from "../items_sql.ts";

/** What a question finds by its words, the best match first. */
export interface RankedByWords {
  ids: readonly string[];
  /** How many of the first ones have the question as it stands in their name, exact names first. */
  spelt: number;
  /** How many of the first ones have every word in their name, those included. */
  inName: number;
}

/** Ranks the items that pass a filter by how well they match its question, as many as there may be. */
export function rankWords(
  connection: Connection,
  filter: ItemFilter & { q: string },
  limit?: number,
): Promise<RankedByWords> {
  return queryOne(
    connection,
    sql`
      with ranked as (
        select release_item_id, ${rankNames(filter)} as rank,
          row_number() over (order by ${orderItems({ sort: "relevance", order: "desc" }, filter)})
            as place
        from items
        where ${whereFilter(filter)}
        order by place
        limit ${limit ?? null}::int
      )
      select
        coalesce(array_agg(release_item_id::text order by place), '{}') as ids,
        (count(*) filter (where rank < 2))::int as spelt,
        (count(*) filter (where rank < 3))::int as "inName"
      from ranked
    `,
  );
}
