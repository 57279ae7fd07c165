import type { Connection } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import { ALL, itemsBy } from "./as_of_sql.ts";

/**
 * A connection whose statements find, where they name `items`, releases whose `release_date` is the
 * named date that is asked by, in any case: null where a release has none. Nothing else has to know.
 */
export function connectByDate(database: Connection, name: string | undefined): Connection {
  if (name === undefined) return database;
  return {
    query: (statement) =>
      database.query(sql`
        with items as not materialized (${itemsBy(name, ALL)})
        select * from (${statement}) as answer
      `),
    script: () => Promise.reject(new Error("Another date is only read")),
  };
}
