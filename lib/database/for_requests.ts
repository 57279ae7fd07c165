import { currentCaller } from "../work/cancellation.ts";
import type { Database } from "./database.ts";

/** The handle of a database for requests: each statement is the caller's (see `Database`). */
export function forRequests(database: Database): Database {
  return {
    ...database,
    query: (statement) => database.query(statement, currentCaller()),
    script: (text) => database.script(text, currentCaller()),
    transaction: (work) => database.transaction(work, currentCaller()),
  };
}
