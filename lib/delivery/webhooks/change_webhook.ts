import type { Database } from "../../database/database.ts";
import { type AddOptions, requireRightAddress, showWebhookUrl } from "./add_webhook.ts";
import { openTarget, sealTarget } from "./sealed_target.ts";
import type { WebhookFilter } from "./webhook.ts";
import { findTarget, updateWebhook } from "./webhooks_sql.ts";

/**
 * Changes what a webhook is narrowed to, and its address if one is given; its kind and its secret
 * stay. False if none has this name.
 *
 * @throws {WebhookError} if the address is not public or none of its kind
 */
export async function changeWebhook(
  database: Database,
  name: string,
  { url, filter }: { url: URL | null; filter: WebhookFilter },
  options: Omit<AddOptions, "now">,
): Promise<boolean> {
  const found = await findTarget(database, name);
  if (found === null) return false;
  const { webhook_id: id, kind, target } = found;
  if (url === null) return await updateWebhook(database, id, { filter });
  await requireRightAddress(kind, url, options);
  const { secret } = openTarget(target, id, options.tokenSecret);
  return await updateWebhook(database, id, {
    filter,
    target: sealTarget({ url: url.href, secret }, id, options.tokenSecret),
    shownUrl: showWebhookUrl(url),
  });
}
