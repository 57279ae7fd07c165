import { type Cadence, CADENCES, dayOf } from "../../text/cadence.ts";
import type { Connection, Database } from "../../database/database.ts";
import * as digests from "./digests_sql.ts";
import { hasPendingChanges } from "./pending_changes_sql.ts";
import type { Variant, VariantName } from "../../roadmap/variant.ts";

/** The most subscribers of one transaction, which keeps those who unsubscribe waiting. */
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
  /** Ends the run between two groups; the next run covers what is left. */
  signal?: AbortSignal;
}

/** Where digests are queued: a database, or a transaction that has begun already. */
type Place = Connection & Pick<Database, "transaction">;

/**
 * Queues a mail for every verified subscriber for whom something has changed since the last one was
 * sent, or since they were verified. A mail that waits already owes what changed since, too: what is
 * in it is read when it is sent.
 */
export async function queueDigests(place: Place, options: QueueOptions): Promise<DigestRun> {
  const { now, cadences = CADENCES } = options;
  const last = await digests.readLastChange(place);
  const audience = { cadences, day: dayOf(now, options.zone) };
  const all = await digests.countAudience(place, audience);
  if (last === null) return { queued: 0, quiet: all, day: null };
  const upTo = last.change_id;
  let queued = await place.transaction(async (connection) => {
    await digests.lockRuns(connection);
    return await digests.oweMore(connection, audience, upTo);
  });
  for (const group of await digests.listGroups(place, audience, upTo)) {
    if (options.signal?.aborted) break;
    queued += await queueGroup(place, group, { ...options, audience, upTo });
  }
  return { queued, quiet: Math.max(0, all - queued), day: last.day };
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
  group: digests.DigestReceiver,
  { audience, upTo, now, variantFor }: QueueOptions & { audience: digests.Audience; upTo: string },
): Promise<number> {
  const hasNews = await hasPendingChanges(place, group, {
    upTo,
    view: variantFor(group.variant),
    today: audience.day,
  });
  const limit = SUBSCRIBERS_AT_ONCE;
  let after: string | null = null;
  let queued = 0;
  while (true) {
    const next: digests.Next = { audience, upTo, after, limit };
    const ids: string[] = await place.transaction(async (connection) => {
      await digests.lockRuns(connection);
      return hasNews
        ? await digests.queueNext(connection, group, next, now)
        : await digests.passNext(connection, group, next);
    });
    if (hasNews) queued += ids.length;
    if (ids.length < limit) return queued;
    after = ids.toSorted().at(-1)!;
  }
}
