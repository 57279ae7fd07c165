import type { Digest } from "./digest.ts";
import type { Connection } from "../database/database.ts";
import { isoTime, sql } from "../database/sql.ts";

/** How long a mail is tried before it is given up. */
export const TRIED_FOR = sql`interval '24 hours'`;

/** A mail that this process is to send now. */
export interface TakenMail {
  mail_id: string;
  subscription_id: string;
  email: string;
  variant: "A" | "B";
  /** Null: a verification mail. */
  digest: Digest | null;
  /** Counts from 1. */
  attempts: number;
  /** Milliseconds since 1970 */
  give_up_at: number;
}

/**
 * Takes the mail that has been due for longest, together with the link that it will carry if it
 * is a verification mail; null where none is due. Nobody else takes it until the lease ends, even
 * if this process dies.
 */
export async function takeMail(
  connection: Connection,
  { now, leaseUntil, link }: {
    now: Date;
    leaseUntil: Date;
    link: { hash: Uint8Array; expiresAt: Date };
  },
): Promise<TakenMail | null> {
  const [mail] = await connection.query<TakenMail>(sql`
    with due as (
      select mail_id from outbox
      where status = 'waiting' and due_at <= ${now.toISOString()}::timestamptz
        and (leased_until is null or leased_until <= ${now.toISOString()}::timestamptz)
      order by due_at
      limit 1
      for update skip locked
    ),
    taken as (
      update outbox
      set leased_until = ${leaseUntil.toISOString()}::timestamptz, attempts = attempts + 1
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

/** Notes why a mail did not go out: it is tried again at `dueAt`, or never where that is null. */
export async function failMail(
  connection: Connection,
  { mail_id, attempts }: TakenMail,
  { reason, dueAt, now }: { reason: string; dueAt: Date | null; now: Date },
): Promise<void> {
  // Where another process has taken the mail since, what became of our attempt is stale.
  await connection.query(sql`
    update outbox
    set last_error = ${reason}, leased_until = null,
      status = case when ${dueAt === null} then 'failed' else 'waiting' end,
      finished_at = case when ${dueAt === null} then ${now.toISOString()}::timestamptz end,
      due_at = coalesce(${dueAt?.toISOString() ?? null}::timestamptz, due_at)
    where mail_id = ${mail_id}::uuid and attempts = ${attempts} and status = 'waiting'
  `);
}

/** A mail as the outbox is listed; times in UTC, ISO 8601. */
export interface ListedMail {
  mail_id: string;
  email: string;
  status: "waiting" | "sent" | "logged" | "failed" | "superseded";
  attempts: number;
  created_at: string;
  due_at: string;
  last_error: string | null;
}

/** The newest mails with one of these states, newest first. */
export function listMails(
  connection: Connection,
  { statuses, limit }: { statuses: readonly ListedMail["status"][]; limit: number },
): Promise<ListedMail[]> {
  return connection.query(sql`
    select mail_id, email, status, attempts, last_error,
      ${isoTime(sql`outbox.created_at`)} as created_at,
      ${isoTime(sql`due_at`)} as due_at
    from outbox join subscriptions using (subscription_id)
    where status = any(${[...statuses]}::text[])
    order by outbox.created_at desc, mail_id
    limit ${limit}
  `);
}

/** How many mails there are in each state. */
export function countMails(
  connection: Connection,
): Promise<{ status: ListedMail["status"]; count: number }[]> {
  return connection.query(sql`
    select status, count(*)::int as count from outbox group by status order by status
  `);
}

/**
 * Makes mails due now that failed or wait for their next attempt: one, or all. A verification mail
 * to somebody who is verified or unsubscribed by now, or who has a newer one, stays as it is, and a
 * digest to somebody who has unsubscribed since. Returns how many there are.
 */
export async function retryMails(
  connection: Connection,
  { mailId, now }: { mailId: string | null; now: Date },
): Promise<number> {
  const retried = await connection.query(sql`
    update outbox
    set status = 'waiting', due_at = ${now.toISOString()}::timestamptz, finished_at = null,
      give_up_at = ${now.toISOString()}::timestamptz + ${TRIED_FOR}
    where status in ('waiting', 'failed')
      and (${mailId}::uuid is null or mail_id = ${mailId}::uuid)
      and exists (
        select 1 from subscriptions
        where subscriptions.subscription_id = outbox.subscription_id and case kind
          when 'verification' then state = 'unverified'
          when 'digest' then state = 'verified' and verified_at <= outbox.created_at
        end
      )
      and not exists (
        select 1 from outbox as newer
        where newer.subscription_id = outbox.subscription_id
          and outbox.kind = 'verification' and newer.created_at > outbox.created_at
      )
    returning 1
  `);
  return retried.length;
}
