import { type Cadence, CADENCES } from "../../text/cadence.ts";
import type { Connection, Database } from "../../database/database.ts";
import * as digests from "./digests_sql.ts";
import { readPendingChanges } from "./pending_changes_sql.ts";
import { readDueSections } from "./read_due_sections.ts";
import { LRUCache } from "lru-cache";
import { type ChangedItem, type DescribedItem, describeItem, formatDigest } from "./digest.ts";
import { isoDate } from "../../text/dates.ts";
import { describeScope } from "../subscriptions/preferences_in_words.ts";
import type { Variant, VariantName } from "../../roadmap/variant.ts";

/** A digest lists so many releases: its page all of them, a mail of it the first ones. */
const MAX_ITEMS = 100;
/** Of so many releases a run remembers what it told: many groups are told the same of them. */
const MAX_ENTRIES = 2_000;
/** So many are queued in one transaction, which keeps whoever unsubscribes waiting. */
const SUBSCRIBERS_AT_ONCE = 1_000;

/** What became of a run of digests. */
export interface DigestRun {
  /** Mails that wait in the outbox now. */
  queued: number;
  /** Verified subscribers for whom there was nothing new. */
  quiet: number;
  /** The newest day that is covered, `YYYY-MM-DD`; null where nothing was ever imported. */
  day: string | null;
}

/** Whom a run tells, and of what. */
export interface QueueOptions {
  now: Date;
  variantFor: (name: VariantName) => Variant;
  /** Absent: all. */
  cadences?: readonly Cadence[];
  /** The last change that is told; absent: the last there is. */
  upTo?: string;
  /** Ends the run between two groups; what is left is told by the next run. */
  signal?: AbortSignal;
}

/** Where digests are queued: a database, or a transaction that has begun already. */
type Place = Connection & Pick<Database, "transaction">;

/**
 * Queues a mail for every verified subscriber for whom something has changed since the last run,
 * or since they were verified. What a mail tells is fixed here, in the transaction that notes it as
 * told, so that each change is told once, whatever is imported before the mail is sent. Those who
 * are told the same share one digest, which is made once.
 */
export async function queueDigests(place: Place, options: QueueOptions): Promise<DigestRun> {
  const { now, cadences = CADENCES } = options;
  const last = await digests.readLastChange(place);
  const audience = { cadences, day: isoDate(now) };
  const all = await digests.countAudience(place, audience);
  if (last === null) return { queued: 0, quiet: all, day: null };
  const upTo = options.upTo ?? last.change_id;
  const told = new LRUCache<string, DescribedItem>({ max: MAX_ENTRIES });
  let queued = 0;
  for (const group of await digests.listGroups(place, audience, upTo)) {
    if (options.signal?.aborted) break;
    queued += await queueGroup(place, group, { ...options, audience, upTo, told });
  }
  return { queued, quiet: Math.max(0, all - queued), day: last.day };
}

/** Queues digests within a transaction that has begun: what it brings is told with it, or not at all. */
export function queueWithin(connection: Connection, options: QueueOptions): Promise<DigestRun> {
  return queueDigests({
    query: (statement) => connection.query(statement),
    script: (text) => connection.script(text),
    transaction: (work) => work(connection),
  }, options);
}

async function queueGroup(
  place: Place,
  group: digests.SubscriberGroup,
  { audience, upTo, told, now, variantFor }: QueueOptions & {
    audience: digests.Audience;
    upTo: string;
    told: LRUCache<string, DescribedItem>;
  },
): Promise<number> {
  const variant = variantFor(group.variant);
  const limit = MAX_ITEMS;
  const { items, total } = await readPendingChanges(place, group, {
    upTo,
    variant,
    limit,
    today: audience.day,
  });
  const tell = (item: ChangedItem) => {
    const key = [variant.name, group.last_notified_change, item.release_item_id].join(" ");
    const known = told.get(key) ?? describeItem(variant, item);
    told.set(key, known);
    return known;
  };
  let digestId: string | null = null;
  let queued = 0;
  let after: string | null = null;
  while (true) {
    const { told: count, last } = await place.transaction(async (connection) => {
      if (total > 0 && digestId === null) {
        const due = await readDueSections(connection, group, { variant, today: audience.day });
        const covers = describeScope(group);
        const digest = { ...formatDigest(items.map(tell), total), covers, due };
        digestId = await digests.storeDigest(connection, digest, now);
      }
      const limit = SUBSCRIBERS_AT_ONCE;
      return await digests.queueFor(connection, group, {
        audience,
        upTo,
        digestId,
        after,
        limit,
        now,
      });
    });
    if (digestId !== null) queued += count;
    if (count < SUBSCRIBERS_AT_ONCE) return queued;
    after = last;
  }
}
