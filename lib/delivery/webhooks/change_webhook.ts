import type { Database } from "../../database/database.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { Cadence } from "../../text/cadence.ts";
import { type AddOptions, requireRightAddress, showWebhookUrl } from "./add_webhook.ts";
import { queueWebhooks } from "./queue_webhooks.ts";
import { openTarget, sealTarget } from "./sealed_target.ts";
import type { WebhookFilter } from "./webhook.ts";
import { findTarget, updateWebhook } from "./webhooks_sql.ts";

/**
 * Changes what a webhook is narrowed to, its cadence, and its address if one is given; its kind and
 * its secret stay. What waits for a cadence that ends is due at once where the new one is `immediate`.
 * False if none has this name.
 *
 * @throws {WebhookError} if the address is not public or none of its kind
 */
export async function changeWebhook(
  database: Database,
  name: string,
  { url, filter, cadence }: { url: URL | null; filter: WebhookFilter; cadence: Cadence },
  { site, ...options }: AddOptions & { site: Site },
): Promise<boolean> {
  const found = await findTarget(database, name);
  if (found === null) return false;
  const { webhook_id: id, kind, target } = found;
  const { tokenSecret, now } = options;
  if (url !== null) await requireRightAddress(kind, url, options);
  const moved = url && {
    target: sealTarget(
      { url: url.href, secret: openTarget(target, id, tokenSecret).secret },
      id,
      tokenSecret,
    ),
    shownUrl: showWebhookUrl(url),
  };
  return await database.transaction(async (connection) => {
    const isThere = await updateWebhook(connection, id, { filter, cadence, now, ...moved });
    if (cadence === "immediate") await queueWebhooks(connection, { site, now, only: id });
    return isThere;
  });
}
