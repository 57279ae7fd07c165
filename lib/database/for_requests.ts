import { currentCaller } from "../work/cancellation.ts";
import type { Database } from "./database.ts";

/** The handle of a database for requests: what it runs is the current caller's (see `Database`). */
export function forRequests(database: Database): Database {
  return {
    ...database,
    query: (statement) => database.query(statement, currentCaller()),
    transaction: (work) => database.transaction(work, currentCaller()),
  };
}
