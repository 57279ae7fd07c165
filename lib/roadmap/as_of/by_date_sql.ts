import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { dayNamed } from "../items_sql.ts";
import { ROW } from "./as_of_sql.ts";

/**
 * A connection whose statements find, where they name `items`, releases whose `release_date` is the
 * named date that is asked by, in any case: null where a release has none. Nothing else has to know.
 */
export function connectByDate(database: Connection, name: string | undefined): Connection {
  if (name === undefined) return database;
  return {
    query: (statement) =>
      database.query(sql`
        with items as not materialized (${itemsBy(name)})
        select * from (${statement}) as answer
      `),
    script: () => Promise.reject(new Error("Another date is only read")),
  };
}

function itemsBy(name: string): Sql {
  return sql`
    select ${ROW.before}, ${dayNamed(name, sql`dates`)} as release_date, ${ROW.after},
      search_text, words, title_words, language
    from items
  `;
}
