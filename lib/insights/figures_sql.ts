import { type Sql, sql } from "../database/sql.ts";

/** Some figures: the tables of the `with` that they come from, and their columns. */
export interface Figures {
  tables: Sql;
  figures: Sql;
}

/** The rows of a query, in its order, as one array of objects. */
export function listOf(rows: Sql): Sql {
  return sql`(select coalesce(jsonb_agg(to_jsonb(listed)), '[]') from (${rows}) as listed)`;
}
