import type { Database } from "../database/database.ts";

/** Work on fewer items occupies the embedded database for about a second. */
const MANY_ITEMS = 1_000;

/** Does work on so many items; if it takes long, requests read from a replica meanwhile. */
export async function occupy<Result>(
  database: Database,
  items: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return await (items < MANY_ITEMS ? work() : database.withReplica(work));
}
