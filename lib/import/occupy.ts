import { type Database, isEmbedded } from "../database/database.ts";

/** Changes of fewer items take less time than to make a replica. */
const MANY_ITEMS = 2_000;

/** Changes items; if these are many, requests read from a replica meanwhile. */
export async function occupy<Result>(
  database: Database,
  countChanges: () => Promise<number>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isEmbedded(database) || await countChanges() < MANY_ITEMS) return await work();
  return await database.withReplica(work);
}
