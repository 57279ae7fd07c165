import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { ItemFilter } from "../filter/filter.ts";
import { NEWEST_FIRST, orderItems, rankNames, whereFilter } from "../items_sql.ts";
import { rateMatch, type WordSearch } from "./words_sql.ts";

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

/** The ids of the items that match best, and how many there are. */
export async function selectBest(
  connection: Connection,
  filter: ItemFilter & { words: WordSearch },
  limit: number,
): Promise<{ ids: string[]; count: number }> {
  // Rated first, so that what is sorted is small.
  const rows = await connection.query<{ release_item_id: string; count: number }>(sql`
    with rated as materialized (
      select release_item_id, last_modified, release_date, ${rateMatch(filter.words)} as rating
      from items
      where ${whereFilter(filter)}
    )
    select release_item_id, (select count(*)::int from rated) as count
    from rated as items
    order by rating desc, ${orderItems(NEWEST_FIRST)}
    limit ${limit}
  `);
  return { ids: rows.map(({ release_item_id }) => release_item_id), count: rows[0]?.count ?? 0 };
}
