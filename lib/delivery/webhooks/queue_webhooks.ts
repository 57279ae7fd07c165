import type { Config } from "../../config/config.ts";
import type { Connection, Database } from "../../database/database.ts";
import { readNewChanges } from "../../roadmap/changes/webhook_changes.ts";
import { connectByDate } from "../../roadmap/as_of/as_of_sql.ts";
import { dateNameOf } from "../../roadmap/filter/filter.ts";
import { type Site, sitesOf } from "../../roadmap/sites.ts";
import { dayOf, type DigestTimes } from "../../text/cadence.ts";
import { findDueSlot, noteSlot } from "../slots_sql.ts";
import { readChatNews } from "./chat_message.ts";
import * as deliveries from "./deliveries_sql.ts";

/** The most changes of a body, and characters of them; the rest is at an address. */
const MAX = { limit: 100, characters: 512 * 1024 };

/** For which site deliveries are put together, and when. */
interface QueueOptions {
  site: Site;
  /** The time zone of its days. */
  zone: string;
  now: Date;
}

/**
 * Puts a delivery down for every webhook with the cadence `immediate` for which something has
 * changed, within the transaction of the import that changed it.
 */
export async function queueWebhooks(
  connection: Connection,
  { only, ...options }: QueueOptions & {
    /** The id of the only webhook; absent: all. */
    only?: string;
  },
): Promise<void> {
  await queueAll(connection, { cadence: "immediate", only }, options);
}

/**
 * Queues, in the transaction of an import, the changes for webhooks. Digests for those who get them
 * immediately are queued when it has ended: the job that does it wakes up with the new data.
 */
export function notifyWebhooks(
  config: Config,
  clock: () => Date,
): (connection: Connection) => Promise<void> {
  const [site] = sitesOf(config);
  const { DIGEST_ZONE: zone } = config;
  return (connection) => queueWebhooks(connection, { site: site!, zone, now: clock() });
}

/**
 * Puts one delivery down, with all that has changed since the last one, for every webhook whose
 * daily or weekly moment has come. After an outage there is one for all moments that were missed.
 */
export async function queueDueWebhooks(
  database: Database,
  { times, now, ...options }: Omit<QueueOptions, "zone"> & { times: DigestTimes },
): Promise<void> {
  for (const cadence of ["daily", "weekly"] as const) {
    const what = `webhooks ${cadence}` as const;
    const due = await findDueSlot(database, what, { now, times });
    if (due === null) continue;
    await database.transaction(async (connection) => {
      if (!await noteSlot(connection, what, due.latest)) return;
      await queueAll(connection, { cadence }, { now, zone: times.zone, ...options });
    });
  }
}

/** What a delivery contains is fixed here, whatever is imported before it is sent. */
async function queueAll(
  connection: Connection,
  audience: deliveries.WebhookAudience,
  { site: { variant }, zone, now }: QueueOptions,
): Promise<void> {
  const webhooks = await deliveries.lockWebhooks(connection, audience);
  if (webhooks.length === 0) return;
  const upTo = await deliveries.readLastChangeId(connection);
  const today = dayOf(now, zone);
  // A webhook that was added during an import receives only the changes after that.
  const groups = Map.groupBy(
    webhooks,
    ({ kind, filter, last_notified_change }) =>
      JSON.stringify([kind === "standard", filter, last_notified_change]),
  );
  // One after the other: the texts of all of them would take much memory.
  for (const group of groups.values()) {
    const { kind, filter, last_notified_change: position } = group[0]!;
    if (position >= upTo) continue;
    const by = connectByDate(connection, dateNameOf(filter));
    const between = { after: String(position), upTo: String(upTo) };
    const news = kind === "standard"
      ? await readNewChanges(by, filter, { position, upTo, variant, today, most: MAX })
      : { news: await readChatNews(by, filter, { ...between, variant, today }) };
    if ("news" in news ? news.news.total === 0 : news.entries.length === 0) continue;
    const payload = { ...news, variant: variant.name, filter, timestamp: now.toISOString() };
    await deliveries.queueDeliveries(connection, idsOf(group), { payload, upTo, now });
  }
  await deliveries.noteNotified(connection, idsOf(webhooks), upTo);
}

function idsOf(webhooks: readonly deliveries.NotifiedWebhook[]): string[] {
  return webhooks.map(({ webhook_id }) => webhook_id);
}
