import type { Connection } from "../../database/database.ts";
import { readNewChanges } from "../../roadmap/read_changes.ts";
import type { Site } from "../../roadmap/sites.ts";
import * as deliveries from "./deliveries_sql.ts";

/** A body has at most so many changes, and bytes of their texts; the rest is at an address. */
const MOST = { limit: 100, bytes: 512 * 1024 };

/**
 * Puts a delivery down for every webhook for which something has changed, within the transaction of
 * the import that changed it. What it tells is fixed here, whatever is imported before it is sent.
 */
export async function queueWebhooks(
  connection: Connection,
  { site: { variant }, now }: { site: Site; now: Date },
): Promise<void> {
  const groups = await deliveries.listGroups(connection);
  if (groups.length === 0) return;
  for (const group of groups) {
    const { filter, last_notified_change: position } = group;
    const news = await readNewChanges(connection, { position, filter, variant, most: MOST });
    if (news.entries.length === 0) continue;
    const payload = { ...news, variant: variant.name, filter, timestamp: now.toISOString() };
    await deliveries.queueDeliveries(connection, group, { payload, now });
  }
  await deliveries.noteAllNotified(connection);
}
