import type { Database } from "../../database/database.ts";
import { pruneReports } from "../bounces/bounces_sql.ts";
import { removeStale } from "./subscribers_sql.ts";
import { prunePayloads } from "../webhooks/deliveries_sql.ts";

/** How long verification tokens, emails, bounces and unverified subscriptions are stored. */
const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/** Removes what was kept long enough. */
export async function pruneSubscriptions(database: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_MS);
  await removeStale(database, { before, now });
  await pruneReports(database, before);
  await prunePayloads(database);
}
