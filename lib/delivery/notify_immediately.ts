import type { Config } from "../config/config.ts";
import type { Connection } from "../database/database.ts";
import { sitesOf } from "../roadmap/sites.ts";
import { queueWebhooks } from "./webhooks/queue_webhooks.ts";

/**
 * Queues, in the transaction of an import, the changes for webhooks. Digests for those who get them
 * immediately are queued when it has ended: the job that does it wakes up with the new data.
 */
export function notifyImmediately(
  config: Config,
  clock: () => Date,
): (connection: Connection) => Promise<void> {
  const [site] = sitesOf(config);
  const { DIGEST_ZONE: zone } = config;
  return (connection) => queueWebhooks(connection, { site: site!, zone, now: clock() });
}
