import type { Connection } from "../../database/database.ts";
import { readNewChanges } from "../../roadmap/changes/read_changes.ts";
import type { Site } from "../../roadmap/sites.ts";
import { isoDate } from "../../text/dates.ts";
import * as deliveries from "./deliveries_sql.ts";

/** The most changes of a body, and characters of them; the rest is at an address. */
const MAX = { limit: 100, characters: 512 * 1024 };

/**
 * Puts a delivery down for every webhook for which something has changed, within the transaction of
 * the import that changed it. What it contains is fixed here, whatever is imported before it is sent.
 */
export async function queueWebhooks(
  connection: Connection,
  { site: { variant }, now }: { site: Site; now: Date },
): Promise<void> {
  const groups = await deliveries.listWebhookGroups(connection);
  if (groups.length === 0) return;
  const today = isoDate(now);
  // A webhook that was added during an import receives only the changes after that.
  const byPosition = Map.groupBy(groups, ({ last_notified_change }) => last_notified_change);
  for (const [position, some] of byPosition) {
    const filters = some.map(({ filter }) => filter);
    const wanted = { position, filters, variant, today, most: MAX };
    let place = 0;
    for await (const news of readNewChanges(connection, wanted)) {
      const group = some[place++]!;
      const { filter } = group;
      if (news.entries.length === 0) continue;
      const payload = { ...news, variant: variant.name, filter, timestamp: now.toISOString() };
      await deliveries.queueDeliveries(connection, group, { payload, now });
    }
  }
  await deliveries.noteAllNotified(connection);
}
