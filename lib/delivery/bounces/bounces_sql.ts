import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { sql, timestamp } from "../../database/sql.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";
import { parseEmailAddress } from "../subscriptions/email_address.ts";
import { lockVerified, supersedeMails } from "../subscriptions/subscriptions_sql.ts";
import { MAIL_KINDS } from "../outbox/messages_sql.ts";
import type { BounceReport } from "./bounce.ts";

/** So often in a row a mailbox refuses before it is set aside. */
const MAX_REFUSALS = 3;

/** A refusal that is about to be counted. */
interface Refusal {
  reason: string;
  now: Date;
  /** The email had been accepted, so that the refusals before it count again. */
  wasAccepted: boolean;
  /** The owner wants no more emails: once is enough. */
  isComplaint?: boolean;
}

/** Counts a refusal of a mailbox; true if it is set aside now. The caller has locked the row. */
export async function countRefusal(
  connection: Connection,
  subscriptionId: string,
  { reason, now, wasAccepted, isComplaint = false }: Refusal,
): Promise<boolean> {
  const inRow = sql`refusals + 1 + case when ${wasAccepted} then earlier_refusals else 0 end`;
  const { is_set_aside } = await queryOne<{ is_set_aside: boolean }>(
    connection,
    sql`
      update subscriptions
      set refusals = ${inRow},
        earlier_refusals = case when ${wasAccepted} then 0 else earlier_refusals end,
        state = case
          when state = 'verified' and (${isComplaint} or ${inRow} >= ${MAX_REFUSALS}) then 'bounced'
          else state
        end,
        refused_at = ${timestamp(now)}, refusal_reason = ${reason}
      where subscription_id = ${subscriptionId}::uuid
      returning state = 'bounced' as is_set_aside
    `,
  );
  if (is_set_aside) {
    await supersedeMails(connection, subscriptionId, { now, kinds: MAIL_KINDS });
  }
  return is_set_aside;
}

/** Counts what a report says, unless it was handled before. Returns how many mailboxes it set aside. */
export function handleReport(
  database: Database,
  { key, bounces }: BounceReport,
  now: Date,
): Promise<number> {
  return database.transaction(async (connection) => {
    const isNew = await claimReport(connection, key, now);
    let setAside = 0;
    // In one order, so that two reports never wait for each other.
    for (const bounce of isNew ? bounces.toSorted((a, b) => a.email < b.email ? -1 : 1) : []) {
      const { address } = parseEmailAddress(bounce.email);
      const id = address === undefined ? null : await lockVerified(connection, address);
      if (id === null) continue;
      const refusal = { ...bounce, now, wasAccepted: true };
      if (await countRefusal(connection, id, refusal)) setAside++;
    }
    return setAside;
  });
}

/**
 * Counts an email of ours that a mail server returned, once. The sender of the notification proves
 * by its id that they had the email: the address that they name is not asked for. Null: it does not
 * count.
 */
export function handleReturnedMail(
  database: Database,
  { mailId, reason, now }: { mailId: string; reason: string; now: Date },
): Promise<{ isSetAside: boolean } | null> {
  return database.transaction(async (connection) => {
    const [sent] = await connection.query<{ subscription_id: string }>(sql`
      select subscription_id
      from outbox join subscriptions using (subscription_id)
      where mail_id = ${mailId}::uuid and status = 'sent' and state = 'verified'
      for no key update of subscriptions
    `);
    if (!sent || !await claimReport(connection, `mail:${mailId}`, now)) return null;
    const refusal = { reason, now, wasAccepted: true };
    await connection.query(sql`
      update outbox set last_error = ${reason} where mail_id = ${mailId}::uuid
    `);
    return { isSetAside: await countRefusal(connection, sent.subscription_id, refusal) };
  });
}

/** Notes that a report is handled; false where it was handled before. */
async function claimReport(connection: Connection, key: string, now: Date): Promise<boolean> {
  const added = await connection.query(sql`
    insert into bounce_reports (report_key, handled_at)
    values (${key}, ${timestamp(now)})
    on conflict do nothing
    returning 1
  `);
  return added.length === 1;
}

/**
 * Has a mailbox that was set aside get emails again, about what changes from now on; false where it
 * was not set aside.
 */
export async function reactivateMailbox(connection: Connection, email: string): Promise<boolean> {
  const reactivated = await connection.query(sql`
    update subscriptions
    set state = 'verified', refusals = 0, earlier_refusals = 0,
      last_notified_change = ${LAST_CHANGE}
    where email = ${email} and state = 'bounced'
    returning 1
  `);
  return reactivated.length === 1;
}

/** Forgets the reports that were handled before a moment. */
export async function pruneReports(connection: Connection, before: Date): Promise<void> {
  await connection.query(sql`
    delete from bounce_reports where handled_at < ${timestamp(before)}
  `);
}
