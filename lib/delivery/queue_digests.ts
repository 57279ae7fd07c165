import type { Database } from "../database/database.ts";
import * as digests from "./digests_sql.ts";
import { formatDigest } from "./digest.ts";
import type { Variant, VariantName } from "../roadmap/variant.ts";

/** A longer mail would not be read. */
const MOST_ITEMS = 50;
const SUBSCRIPTIONS_AT_ONCE = 500;

/** What became of a run of digests. */
export interface DigestRun {
  /** Mails that wait in the outbox now. */
  queued: number;
  /** Verified subscribers for whom there was nothing new. */
  quiet: number;
  /** The newest day that is covered, `YYYY-MM-DD`; null where nothing was ever imported. */
  day: string | null;
}

/**
 * Queues a mail for every verified subscriber for whom something has changed since the last run,
 * or since they were verified. What a mail tells is fixed here, in the transaction that notes it as
 * told, so that each change is told once, whatever is imported before the mail is sent.
 */
export async function queueDigests(
  database: Database,
  { now, variantFor }: { now: Date; variantFor: (name: VariantName) => Variant },
): Promise<DigestRun> {
  const last = await digests.readLastChange(database);
  const run: DigestRun = { queued: 0, quiet: 0, day: last?.day ?? null };
  for await (const id of verifiedSubscriptions(database)) {
    const isQueued = last !== null &&
      await queueDigestOf(database, id, { upTo: last.change_id, now, variantFor });
    run[isQueued ? "queued" : "quiet"]++;
  }
  return run;
}

async function* verifiedSubscriptions(database: Database): AsyncGenerator<string> {
  let after: string | null = null;
  while (true) {
    const page = { after, limit: SUBSCRIPTIONS_AT_ONCE };
    const ids = await digests.listVerified(database, page);
    if (ids.length === 0) return;
    yield* ids;
    after = ids.at(-1)!;
  }
}

function queueDigestOf(
  database: Database,
  id: string,
  { upTo, now, variantFor }: {
    upTo: string;
    now: Date;
    variantFor: (name: VariantName) => Variant;
  },
): Promise<boolean> {
  return database.transaction(async (connection) => {
    const pending = await digests.claimPendingDigest(connection, id, upTo);
    if (pending === null) return false;
    const variant = variantFor(pending.variant);
    const limit = MOST_ITEMS;
    const { items, total } = await digests.readPendingChanges(connection, pending, {
      upTo,
      variant,
      limit,
    });
    await digests.markNotified(connection, id, upTo);
    if (total === 0) return false;
    const digest = formatDigest(variant, items, total);
    await digests.queueDigest(connection, pending, { digest, upTo, now });
    return true;
  });
}
