import type { Cadence } from "../../text/cadence.ts";
import type { Digest } from "./digest.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { ADVISORY_LOCKS } from "../../database/advisory_locks.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { insertMessages, PENDING_TOGETHER } from "../outbox/messages_sql.ts";
import { json, type Sql, sql, timestamp } from "../../database/sql.ts";
import type { Preferences } from "../subscriptions/subscriptions_sql.ts";

/**
 * The change that was stored last (its id), and the newest day of all; null where there is none.
 */
export async function readLastChange(
  connection: Connection,
): Promise<{ change_id: string; day: string } | null> {
  // Imports are stored one after the other, so that nothing with a lower id can still come.
  const last = await queryOne<{ change_id: string | null; day: string | null }>(
    connection,
    sql`select max(change_id)::text as change_id, max(day)::text as day from changes`,
  );
  return last.change_id === null ? null : { change_id: last.change_id, day: last.day! };
}

/** The condition that a subscription gets digests and reminders on a day, `YYYY-MM-DD`. */
export function getsDigests(day: string): Sql {
  return sql`(state = 'verified' and (paused_until is null or paused_until <= ${day}::date))`;
}

/** What a digest is made for: preferences, and the last change that the one before it covered. */
export interface DigestReceiver extends Omit<Preferences, "cadence" | "reminders"> {
  /** The same for all who have these preferences. */
  filter_key: string;
  variant: VariantName;
  /** The id of the last change that was sent, or that there was before the first digest. */
  last_notified_change: string;
}

/** Has other runs wait until the transaction ends, so that no subscriber gets the same twice. */
export async function lockRuns(connection: Connection): Promise<void> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.digests})`);
}

/**
 * Queues a digest for everybody with one of these cadences who has not paused on a day, `YYYY-MM-DD`,
 * and has not been sent everything up to a change, or has the one that waits cover that, too. Whether
 * there is anything to read for them is found when it is sent. Those who get the same follow one
 * another. Returns how many digests cover more now.
 */
export async function queueUpTo(
  connection: Connection,
  upTo: string,
  { cadences, day, now }: { cadences: readonly Cadence[]; day: string; now: Date },
): Promise<number> {
  const { queued } = await queryOne<{ queued: number }>(
    connection,
    sql`
      with queued as (
        ${
      insertMessages("mail", {
        columns: sql`subscription_id, kind, changes_up_to`,
        rows: sql`
          select subscription_id, 'digest', ${upTo}::bigint from subscriptions
          where ${getsDigests(day)} and cadence = any(${[...cadences]}::text[])
            and last_notified_change < ${upTo}::bigint
          order by filter_key, last_notified_change, subscription_id
          for key share
        `,
        now,
      })
    }
        ${PENDING_TOGETHER} where outbox.changes_up_to < excluded.changes_up_to
        returning 1
      )
      select count(*)::int as queued from queued
    `,
  );
  return queued;
}

/**
 * Notes up to which change digests that go out right after an import were queued; false: they were up
 * to that one.
 */
export async function noteNotified(connection: Connection, upTo: string): Promise<boolean> {
  const noted = await connection.query(sql`
    insert into mail_state (notified_up_to) values (${upTo}::bigint)
    on conflict (only_row) do update set notified_up_to = excluded.notified_up_to
    where mail_state.notified_up_to < excluded.notified_up_to
    returning 1
  `);
  return noted.length > 0;
}

/** Stores the contents of digests, each once for all who get the same, and returns their ids. */
export async function storeDigests(
  connection: Connection,
  digests: readonly Digest[],
  now: Date,
): Promise<string[]> {
  const rows = digests.map((content) => ({ digest_id: crypto.randomUUID(), content }));
  if (rows.length > 0) {
    await connection.query(sql`
      insert into digests (digest_id, content, created_at)
      select digest_id, content, ${timestamp(now)}
      from jsonb_to_recordset(${json(rows)}) as made (digest_id uuid, content jsonb)
    `);
  }
  return rows.map(({ digest_id }) => digest_id);
}

/** The content of a digest; null if none has this id, or only one from before a moment. */
export async function readDigest(
  connection: Connection,
  digestId: string,
  { since }: { since?: Date } = {},
): Promise<Digest | null> {
  const [found] = await connection.query<{ content: Digest }>(sql`
    select content from digests
    where digest_id = ${digestId}::uuid
      and ${since ? sql`created_at >= ${timestamp(since)}` : sql`true`}
  `);
  return found?.content ?? null;
}
