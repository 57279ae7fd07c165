import { type Cadence, CADENCES, dayOf } from "../../text/cadence.ts";
import type { Connection, Database } from "../../database/database.ts";
import * as digests from "./digests_sql.ts";
import { readPendingChanges } from "./pending_changes_sql.ts";
import { readDueSections } from "./read_due_sections.ts";
import { LRUCache } from "lru-cache";
import { COMPARED_LENGTH, type DescribedItem, describeItem, formatDigest } from "./digest.ts";
import { describeScope } from "../subscriptions/preferences_in_words.ts";
import type { NetRelease } from "../../roadmap/changes/net_changes_sql.ts";
import type { Variant, VariantName } from "../../roadmap/variant.ts";

/** The most releases of a digest: its page lists all of them, its email the first ones. */
const MAX_ITEMS = 100;
/** The most releases whose changes in words a run remembers: many groups get the same ones. */
const MAX_ENTRIES = 2_000;
/** The most digests queued in one transaction, which keeps those who unsubscribe waiting. */
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

/** Whom a run writes to, and what about. */
interface QueueOptions {
  now: Date;
  /** The time zone of its days. */
  zone: string;
  variantFor: (name: VariantName) => Variant;
  /** Absent: all. */
  cadences?: readonly Cadence[];
  /** The last change that is covered; absent: the last one stored. */
  upTo?: string;
  /** The id of the only subscription that is written to; absent: all. */
  only?: string;
  /** Ends the run between two groups; the next run covers what is left. */
  signal?: AbortSignal;
}

/** Where digests are queued: a database, or a transaction that has begun already. */
type Place = Connection & Pick<Database, "transaction">;

/**
 * Queues a mail for every verified subscriber for whom something has changed since the last run,
 * or since they were verified; what changed joins a mail that still waits. The content of an email is fixed here, in the transaction that
 * notes it, so that each change is sent once, whatever is imported before the email is sent. Those
 * who get the same share one digest, which is made once.
 */
export async function queueDigests(place: Place, options: QueueOptions): Promise<DigestRun> {
  const { now, cadences = CADENCES } = options;
  const last = await digests.readLastChange(place);
  const audience = { cadences, day: dayOf(now, options.zone), only: options.only };
  const all = await digests.countAudience(place, audience);
  if (last === null) return { queued: 0, quiet: all, day: null };
  const upTo = options.upTo ?? last.change_id;
  const described = new LRUCache<string, DescribedItem>({ max: MAX_ENTRIES });
  let queued = 0;
  // Whose digest is taken for sending meanwhile is in another group then.
  for (let groups = await listGroups(); groups.length > 0; groups = await listGroups()) {
    for (const group of groups) {
      if (options.signal?.aborted) break;
      queued += await queueGroup(place, group, { ...options, audience, upTo, described });
    }
  }
  return { queued, quiet: Math.max(0, all - queued), day: last.day };

  async function listGroups(): Promise<digests.SubscriberGroup[]> {
    if (options.signal?.aborted) return [];
    await digests.promiseRest(place, audience, upTo);
    return await digests.listGroups(place, audience, upTo);
  }
}

/** Queues digests within a transaction that has begun: with its changes, or not at all. */
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
  { audience, upTo, described, now, variantFor }: QueueOptions & {
    audience: digests.Audience;
    upTo: string;
    described: LRUCache<string, DescribedItem>;
  },
): Promise<number> {
  const variant = variantFor(group.variant);
  const limit = MAX_ITEMS;
  const news = await readPendingChanges(place, group, {
    upTo,
    view: variant,
    limit,
    today: audience.day,
    textLength: COMPARED_LENGTH,
  });
  const describe = (item: NetRelease) => {
    const key = [variant.name, group.last_notified_change, item.release_item_id].join(" ");
    const known = described.get(key) ?? describeItem(variant, item);
    described.set(key, known);
    return known;
  };
  let digestId: string | null = null;
  let queued = 0;
  let after: string | null = null;
  while (true) {
    const { notified: count, last } = await place.transaction(async (connection) => {
      if (news.total > 0 && digestId === null) {
        const due = await readDueSections(connection, group, { variant, today: audience.day });
        const covers = describeScope(group);
        const digest = { ...formatDigest(news.releases.map(describe), news), covers, due };
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
    if (last === null) return queued;
    after = last;
  }
}
