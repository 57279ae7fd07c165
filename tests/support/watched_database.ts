import type { Database } from "../../lib/database/database.ts";

/** A database that counts what it is asked about the roadmap. */
export interface WatchedDatabase extends Database {
  /** How many statements have read items since this was asked last. */
  takeCount(): number;
  /** Makes statements that read items fail from now on, or work again. */
  fail(error: Error | null): void;
}

/** Counts the statements that read items; following the data version does not. */
export function watchDatabase(database: Database): WatchedDatabase {
  let count = 0;
  let failure: Error | null = null;
  return {
    ...database,
    query(statement) {
      if (!/from (items|changes)|join items/.test(statement.compile().text)) {
        return database.query(statement);
      }
      count++;
      return failure ? Promise.reject(failure) : database.query(statement);
    },
    takeCount() {
      const taken = count;
      count = 0;
      return taken;
    },
    fail: (error) => failure = error,
  };
}
