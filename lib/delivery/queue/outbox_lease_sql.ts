import type { Connection } from "../../database/database.ts";
import { type Sql, sql, timestamp } from "../../database/sql.ts";

/**
 * Begins a statement that takes the next message of the outbox that is due, as `taken`. No other
 * sender takes it for `leaseSeconds`, even if this process dies. They are counted by the clock of the
 * database, which all share.
 */
export function leaseNext({ isWanted, order, now, leaseSeconds }: {
  isWanted: Sql;
  order: Sql;
  now: Date;
  leaseSeconds: number;
}): Sql {
  return sql`
    with due as (
      select mail_id from outbox
      where status = 'waiting' and due_at <= ${timestamp(now)}
        and (leased_until is null or leased_until <= now()) and ${isWanted}
      order by ${order}
      limit 1
      for update skip locked
    ),
    taken as (
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
 * further ones), and no sender has one to itself for longer than a lease from now.
 */
export async function shortenWaits(
  connection: Connection,
  messages: "mails" | "webhooks",
  { now, leaseSeconds, delays }: { now: Date; leaseSeconds: number; delays: readonly number[] },
): Promise<void> {
  const latestDue = sql`${timestamp(now)} + make_interval(
    secs => (${[...delays]}::float8[])[1 + least(attempts, ${delays.length - 1}::int)]
  )`;
  const latestLease = sql`now() + make_interval(secs => ${leaseSeconds}::float8)`;
  await connection.query(sql`
    update outbox
    set due_at = least(due_at, ${latestDue}),
      leased_until = case when leased_until is not null then least(leased_until, ${latestLease}) end
    where status = 'waiting'
      and ${messages === "webhooks" ? sql`webhook_id is not null` : sql`webhook_id is null`}
      and (due_at > ${latestDue} or leased_until > ${latestLease})
  `);
}
