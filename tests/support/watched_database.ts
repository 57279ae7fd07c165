import type { Database } from "../../lib/database/database.ts";
import type { Sql } from "../../lib/database/sql.ts";
import type { Caller } from "../../lib/work/async.ts";

/** A database that counts queries of the roadmap. */
export interface WatchedDatabase extends Database {
  /** The number of statements that have read items since the last call. */
  takeCount(): number;
  /** The number of characters of their rows as JSON since the last call. */
  takeSize(): number;
  /** Makes statements that read items fail from now on; null: they work again. */
  fail(error: Error | null): void;
}

/** Counts the statements that read items; polling the data version does not count. */
export function watchDatabase(database: Database): WatchedDatabase {
  let count = 0;
  let size = 0;
  let failure: Error | null = null;
  return {
    ...database,
    async query<Row>(statement: Sql, caller?: Caller): Promise<Row[]> {
      if (!/from (items|changes)|join items/.test(statement.compile().text)) {
        return await database.query(statement, caller);
      }
      count++;
      if (failure) throw failure;
      const rows = await database.query<Row>(statement, caller);
      size += JSON.stringify(rows).length;
      return rows;
    },
    takeCount() {
      const taken = count;
      count = 0;
      return taken;
    },
    takeSize() {
      const taken = size;
      size = 0;
      return taken;
    },
    fail: (error) => failure = error,
  };
}
