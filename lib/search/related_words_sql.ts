import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import { whereFilter } from "../roadmap/items_sql.ts";

/** What stands for a term of a question. */
export interface NearTerm {
  /** The place of the term in the question, and its part of all that the question says. */
  term: number;
  part: number;
  /** How much it counts: 1 for the term itself. */
  value: number;
  /** What finds it anywhere, and in names (tsqueries). */
  query: string;
  inName: string;
}

/** How much of what a term counts depends on its standing in the name. */
const IN_NAME = 0.3;
/** Long texts have something near to every word. */
const LENGTH = 0.02;

/**
 * The items that have what stands for the terms of a question, the most of it first, as far as they
 * pass a filter; `isNear`: they have something that is only close to a term.
 */
export function rankNear(
  connection: Connection,
  filter: ItemFilter,
  { terms, least, limit }: { terms: readonly NearTerm[]; least: number; limit: number },
): Promise<{ release_item_id: string; isNear: boolean }[]> {
  const column = <Name extends keyof NearTerm>(name: Name) => terms.map((term) => term[name]);
  return connection.query(sql`
    with near as materialized (
      select term, part, value, query::tsquery as query, in_name::tsquery as in_name
      from unnest(
        ${column("term")}::int[], ${column("part").map(String)}::float8[],
        ${column("value").map(String)}::float8[], ${column("query")}::text[],
        ${column("inName")}::text[]
      ) as given (term, part, value, query, in_name)
    ),
    found as (
      select release_item_id, term, part, max(value) as anywhere,
        coalesce(max(value) filter (where title_words @@ in_name), 0) as in_name,
        max(octet_length(search_text)) as length
      from near
      join items on items.words @@ near.query
      where ${whereFilter({ ...filter, q: undefined, words: undefined })}
      group by release_item_id, term, part
    ),
    rated as (
      select release_item_id, bool_or(anywhere < 1) as is_near, max(length) as length,
        sum(part * (anywhere + ${IN_NAME}::float8 * (in_name - anywhere))) as rating
      from found
      group by release_item_id
    )
    select release_item_id, is_near as "isNear"
    from rated
    where rating >= ${least}::float8
    order by rating - ${LENGTH}::float8 * ln(1 + length) desc, release_item_id
    limit ${limit}
  `);
}
