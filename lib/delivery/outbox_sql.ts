import type { Digest } from "./digest.ts";
import type { Connection, Database } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import type { VariantName } from "../roadmap/variant.ts";

/** How long a mail is tried before it is given up. */
export const TRIED_FOR = sql`interval '24 hours'`;

/** A mail that this process is to send now. */
export interface TakenMail {
  mail_id: string;
  subscription_id: string;
  email: string;
  variant: VariantName;
  /** Null: a verification mail. */
  digest: Digest | null;
  /** Counts from 1. */
  attempts: number;
  /** Milliseconds since 1970 */
  give_up_at: number;
}

/**
 * Takes the mail that has been due for longest, verification mails first, together with the link
 * that it will carry if it is one; null where none is due. Nobody else takes it for so many seconds,
 * even if this process dies. They are counted by the clock of the database, which all share; of the
 * mails that this process is sending, `except` keeps it away whatever any clock says.
 */
export async function takeMail(
  connection: Connection,
  { now, leaseSeconds, except, link }: {
    now: Date;
    leaseSeconds: number;
    except: Iterable<string>;
    link: { hash: Uint8Array; expiresAt: Date };
  },
): Promise<TakenMail | null> {
  const [mail] = await connection.query<TakenMail>(sql`
    with due as (
      select mail_id from outbox
      where status = 'waiting' and due_at <= ${now.toISOString()}::timestamptz
        and (leased_until is null or leased_until <= now())
        and mail_id <> all(${[...except]}::uuid[])
      order by kind desc, due_at
      limit 1
      for update skip locked
    ),
    taken as (
      update outbox
      set leased_until = now() + make_interval(secs => ${leaseSeconds}::float8),
        attempts = attempts + 1
      from due
      where outbox.mail_id = due.mail_id
      returning outbox.mail_id, subscription_id, kind, digest, attempts, give_up_at
    ),
    link as (
      insert into verification_tokens (token_hash, subscription_id, created_at, expires_at)
      select ${link.hash}, subscription_id, ${now.toISOString()}::timestamptz,
        ${link.expiresAt.toISOString()}::timestamptz
      from taken
      where kind = 'verification'
    )
    select mail_id, subscription_id, email, variant, digest, attempts,
      (extract(epoch from give_up_at) * 1000)::float8 as give_up_at
    from taken join subscriptions using (subscription_id)
  `);
  return mail ?? null;
}

/**
 * Shortens what a clock that was put back has made long: no mail waits longer for its next attempt
 * than the delay after so many attempts (`delays`, in seconds; the last one holds for all further
 * ones), and nobody has a mail to himself for longer than a lease from now.
 */
export async function shortenWaits(
  connection: Connection,
  { now, leaseSeconds, delays }: { now: Date; leaseSeconds: number; delays: readonly number[] },
): Promise<void> {
  const latestDue = sql`${now.toISOString()}::timestamptz + make_interval(
    secs => (${[...delays]}::float8[])[1 + least(attempts, ${delays.length - 1}::int)]
  )`;
  const latestLease = sql`now() + make_interval(secs => ${leaseSeconds}::float8)`;
  await connection.query(sql`
    update outbox
    set due_at = least(due_at, ${latestDue}),
      leased_until = case when leased_until is not null then least(leased_until, ${latestLease}) end
    where status = 'waiting' and (due_at > ${latestDue} or leased_until > ${latestLease})
  `);
}

/** Notes that a mail went out, or was written to the log. */
export async function finishMail(
  connection: Connection,
  mailId: string,
  { status, now }: { status: "sent" | "logged"; now: Date },
): Promise<void> {
  await connection.query(sql`
    update outbox
    set status = ${status}, finished_at = ${now.toISOString()}::timestamptz, leased_until = null,
      last_error = null, digest = null
    where mail_id = ${mailId}::uuid
  `);
}

/**
 * Notes why a mail did not go out: it is tried again at `dueAt`, or never where that is null. What
 * a digest told that never goes out is pending again, unless a newer one was queued meanwhile.
 */
export function failMail(
  database: Database,
  { mail_id, subscription_id, attempts }: TakenMail,
  { reason, dueAt, now }: { reason: string; dueAt: Date | null; now: Date },
): Promise<void> {
  const isFinal = dueAt === null;
  return database.transaction(async (connection) => {
    await connection.query(sql`
      select 1 from subscriptions
      where subscription_id = ${subscription_id}::uuid for no key update
    `);
    // Where another process has taken the mail since, what became of our attempt is stale.
    const failed = await connection.query<{ mail_id: string }>(sql`
      update outbox
      set last_error = ${reason}, leased_until = null,
        status = ${isFinal ? "failed" : "waiting"},
        finished_at = ${isFinal ? now.toISOString() : null}::timestamptz,
        due_at = coalesce(${dueAt?.toISOString() ?? null}::timestamptz, due_at),
        digest = case when ${!isFinal} then digest end
      where mail_id = ${mail_id}::uuid and attempts = ${attempts} and status = 'waiting'
      returning mail_id
    `);
    if (!isFinal || failed.length === 0) return;
    await connection.query(sql`
      update subscriptions set last_notified_change = changes_after
      from outbox
      where mail_id = ${mail_id}::uuid
        and subscriptions.subscription_id = outbox.subscription_id
        and subscriptions.last_notified_change = outbox.changes_up_to
    `);
  });
}
