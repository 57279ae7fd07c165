import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { type Sql, sql, timestamp } from "../../database/sql.ts";

/** What can become of a mail: `logged` where no mail server is configured. */
export type MailState = "waiting" | "sent" | "logged" | "failed" | "superseded";

/**
 * What a mail is for, in the order in which they go out (`outbox.priority`). `preferences` leads a
 * verified address to the preferences that were requested for it, `reminder` reminds of watched
 * releases before their planned day, and `invitation` has an address confirm that was brought along
 * from another service: it goes out beside digests.
 */
export const MAIL_KINDS = [
  "verification",
  "preferences",
  "reminder",
  "digest",
  "invitation",
] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

/** How long a mail, or a delivery to a webhook, is tried before it is given up. */
export const TRIED_FOR = {
  mail: sql`interval '24 hours'`,
  webhook: sql`interval '3 days'`,
  /** A hundred thousand by the rate of a mail service wait for days. */
  invitation: sql`interval '7 days'`,
};

/** An attempt at a message. */
interface Attempt {
  mail_id: string;
  /** Counts from 1. */
  attempts: number;
}

/** A statement that puts a message, due now, into the outbox for each row, which has these columns. */
export function insertMessages(
  kind: keyof typeof TRIED_FOR,
  { columns, rows, now }: { columns: Sql; rows: Sql; now: Date },
): Sql {
  const moment = timestamp(now);
  return sql`
    insert into outbox (${columns}, created_at, due_at, give_up_at)
    select queued.*, ${moment}, ${moment}, ${moment} + ${TRIED_FOR[kind]}
    from (${rows}) as queued
  `;
}

/** Ends a statement that queues digests: a subscriber has one that waits, which covers all. */
export const PENDING_TOGETHER = sql`
  on conflict (subscription_id) where kind = 'digest' and status = 'waiting' do update
  set changes_up_to = greatest(outbox.changes_up_to, excluded.changes_up_to)
`;

/** Notes why a message did not go out, and when and until when it is tried again. */
export async function postponeMessage(
  connection: Connection,
  attempt: Attempt,
  { reason, dueAt, isRefused = false, giveUpAt = sql`give_up_at` }: {
    reason: string;
    dueAt: Date;
    /** That may be about us. */
    isRefused?: boolean;
    giveUpAt?: Sql;
  },
): Promise<void> {
  await connection.query(sql`
    update outbox
    set last_error = ${reason}, leased_until = null, due_at = ${timestamp(dueAt)},
      is_refused = is_refused or ${isRefused}, give_up_at = ${giveUpAt}
    where ${isNewest(attempt)}
  `);
}

/** Notes why a message will never go out; false where our attempt was not its newest one. */
export async function giveMessageUp(
  connection: Connection,
  attempt: Attempt,
  { reason, isRefusal = false, now }: { reason: string; isRefusal?: boolean; now: Date },
): Promise<boolean> {
  const failed = await connection.query(sql`
    update outbox
    set status = 'failed', finished_at = ${timestamp(now)}, leased_until = null,
      last_error = ${reason}, payload_id = null, came_back = came_back or ${isRefusal}
    where ${isNewest(attempt)}
    returning 1
  `);
  return failed.length > 0;
}

/** Where another process has claimed the message since, what became of our attempt is stale. */
function isNewest({ mail_id, attempts }: Attempt): Sql {
  return sql`mail_id = ${mail_id}::uuid and attempts = ${attempts} and status = 'waiting'`;
}

/**
 * Begins a statement that claims the next messages of the outbox that are due, as `claimed`. No other
 * sender claims them for `leaseSeconds`, even if this process dies. They are counted by the clock of
 * the database, which all share.
 */
export function claimNext({ isWanted, order, limit, now, leaseSeconds }: {
  isWanted: Sql;
  order: Sql;
  limit: number;
  now: Date;
  leaseSeconds: number;
}): Sql {
  return sql`
    with due as (
      select mail_id from outbox
      where status = 'waiting' and due_at <= ${timestamp(now)}
        and (leased_until is null or leased_until <= now()) and ${isWanted}
      order by ${order}
      limit ${limit}
      for update skip locked
    ),
    claimed as (
      update outbox
      set leased_until = now() + make_interval(secs => ${leaseSeconds}::float8),
        attempts = attempts + 1
      from due
      where outbox.mail_id = due.mail_id
      returning outbox.*
    )
  `;
}

/**
 * Shortens what a clock that was put back has made long: no message waits longer for its next
 * attempt than the delay after so many attempts (`delays`, in seconds; the last one holds for all
 * further ones), and no sender has one to itself for longer than a lease from now. What somebody is
 * about to finish is left to them. Returns whether any is due, so that an empty queue costs no more
 * than this.
 */
export async function shortenWaits(
  connection: Connection,
  messages: "mails" | "webhooks",
  { now, leaseSeconds, delays }: { now: Date; leaseSeconds: number; delays: readonly number[] },
): Promise<boolean> {
  const isWaiting = sql`status = 'waiting' and ${
    messages === "webhooks" ? sql`webhook_id is not null` : sql`webhook_id is null`
  }`;
  const latestDue = sql`${timestamp(now)} + make_interval(
    secs => (${[...delays]}::float8[])[1 + least(attempts, ${delays.length - 1}::int)]
  )`;
  const latestLease = sql`now() + make_interval(secs => ${leaseSeconds}::float8)`;
  const { is_due } = await queryOne<{ is_due: boolean }>(
    connection,
    sql`
      with long as (
        select mail_id from outbox
        where ${isWaiting} and (due_at > ${latestDue} or leased_until > ${latestLease})
        for update skip locked
      ), shortened as (
        update outbox
        set due_at = least(due_at, ${latestDue}),
          leased_until = case when leased_until is not null then least(leased_until, ${latestLease}) end
        from long
        where outbox.mail_id = long.mail_id
        returning 1
      )
      select exists (
        select from outbox where ${isWaiting} and due_at <= ${timestamp(now)}
      ) or exists (select from shortened) as is_due
    `,
  );
  return is_due;
}

/** The most messages that are deleted at once, so that nobody waits for their locks. */
const PRUNED_AT_ONCE = 5_000;

/** Deletes what is finished and was queued before a moment. */
export async function pruneMessages(database: Database, before: Date): Promise<void> {
  let deleted = PRUNED_AT_ONCE;
  while (deleted === PRUNED_AT_ONCE) {
    const rows = await database.query(sql`
      delete from outbox
      where mail_id in (
        select mail_id from outbox
        where status <> 'waiting' and created_at < ${timestamp(before)}
        order by created_at
        limit ${PRUNED_AT_ONCE}
      )
      returning 1
    `);
    deleted = rows.length;
  }
}
