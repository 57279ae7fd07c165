import type { Config } from "../config/config.ts";
import type { Connection } from "../database/database.ts";
import { sitesOf, variantsOf } from "../roadmap/sites.ts";
import { queueWithin } from "./digests/queue_digests.ts";
import { queueWebhooks } from "./webhooks/queue_webhooks.ts";

/**
 * Queues, in the transaction of an import, what is sent immediately: the changes for webhooks, and
 * digests unless only the command sends these.
 */
export function notifyImmediately(
  config: Config,
  clock: () => Date,
): (connection: Connection) => Promise<void> {
  return async (connection) => {
    const now = clock();
    const { DIGEST_ZONE: zone } = config;
    await queueWebhooks(connection, { site: sitesOf(config)[0]!, zone, now });
    if (config.digestTimes === null) return;
    await queueWithin(connection, {
      now,
      zone,
      variantFor: variantsOf(config),
      cadences: ["immediate"],
    });
  };
}
