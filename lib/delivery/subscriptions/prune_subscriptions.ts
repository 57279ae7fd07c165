import type { Database } from "../../database/database.ts";
import { removeStale } from "./subscribers_sql.ts";
import { prunePayloads } from "../webhooks/deliveries_sql.ts";

/** How long verification tokens, mails and subscriptions that nobody verified are kept. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** Removes what was kept long enough. */
export async function pruneSubscriptions(database: Database, now: Date): Promise<void> {
  await removeStale(database, { before: new Date(now.getTime() - RETENTION_MS), now });
  await prunePayloads(database);
}
