import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { sql, timestamp } from "../../database/sql.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";
import { parseEmailAddress } from "../subscriptions/email_address.ts";
import {
  forgetRefusals,
  lockVerified,
  supersedeMails,
} from "../subscriptions/subscriptions_sql.ts";
import { MAIL_KINDS } from "../outbox/messages_sql.ts";
import type { BounceReport } from "./providers.ts";

/** So often in a row a mailbox refuses before it is set aside. */
const MAX_REFUSALS = 3;

/**
 * Counts how many of the newest emails to a mailbox came back, one after another; true if it is set
 * aside now. A complaint is enough by itself, and counts as unsubscribing. The caller has locked the
 * row, and noted the emails.
 */
export async function countRefusals(
  connection: Connection,
  subscriptionId: string,
  { reason, now, isComplaint = false }: { reason: string; now: Date; isComplaint?: boolean },
): Promise<boolean> {
  const { is_set_aside } = await queryOne<{ is_set_aside: boolean }>(
    connection,
    sql`
      with newest as (
        select came_back, row_number() over (order by created_at desc, mail_id) as place
        from outbox
        where subscription_id = ${subscriptionId}::uuid and (status = 'sent' or came_back)
      ),
      counted as (
        select count(*)::int as in_row from newest
        where place < all (select place from newest where not came_back)
      )
      update subscriptions
      set refusals = in_row,
        state = case
          when state = 'verified' and (${isComplaint} or in_row >= ${MAX_REFUSALS}) then 'bounced'
          else state
        end,
        unsubscribed_at = case
          when ${isComplaint} then ${timestamp(now)} else unsubscribed_at
        end,
        refused_at = ${timestamp(now)}, refusal_reason = ${reason}
      from counted
      where subscription_id = ${subscriptionId}::uuid
      returning state = 'bounced' as is_set_aside
    `,
  );
  if (is_set_aside) {
    await supersedeMails(connection, subscriptionId, { now, kinds: MAIL_KINDS });
  }
  return is_set_aside;
}

/**
 * Counts what reports say that were not handled before, however a service groups and repeats them.
 * Returns how many mailboxes they set aside.
 */
export function handleReports(
  database: Database,
  reports: readonly BounceReport[],
  now: Date,
): Promise<number> {
  if (reports.length === 0) return Promise.resolve(0);
  return database.transaction(async (connection) => {
    const claimed = await claimKeys(connection, reports.flatMap(({ keys }) => keys), now);
    const bounces = reports.filter(({ keys }) => keys.every((key) => claimed.delete(key)))
      .flatMap(({ bounce }) => bounce ?? []);
    let setAside = 0;
    // In one order, so that two requests never wait for each other.
    for (const bounce of bounces.toSorted((a, b) => a.email < b.email ? -1 : 1)) {
      const { address } = parseEmailAddress(bounce.email);
      const id = address === undefined ? null : await lockVerified(connection, address);
      if (id === null) continue;
      await connection.query(sql`
        update outbox set came_back = true, last_error = ${bounce.reason}
        where mail_id = (
          select mail_id from outbox
          where subscription_id = ${id}::uuid and status = 'sent' and not came_back
          order by created_at desc, mail_id
          limit 1
        )
      `);
      if (await countRefusals(connection, id, { ...bounce, now })) setAside++;
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
    if (!sent || (await claimKeys(connection, [`mail:${mailId}`], now)).size === 0) return null;
    await connection.query(sql`
      update outbox set came_back = true, last_error = ${reason} where mail_id = ${mailId}::uuid
    `);
    const { subscription_id: id } = sent;
    return { isSetAside: await countRefusals(connection, id, { reason, now }) };
  });
}

/** Notes which reports are handled; the keys that no report had before. */
async function claimKeys(
  connection: Connection,
  keys: readonly string[],
  now: Date,
): Promise<Set<string>> {
  // In one order, so that two requests never wait for each other.
  const claimed = await connection.query<{ report_key: string }>(sql`
    insert into bounce_reports (report_key, handled_at)
    select report_key, ${timestamp(now)}
    from unnest(${[...keys]}::text[]) as given (report_key)
    order by report_key
    on conflict do nothing
    returning report_key
  `);
  return new Set(claimed.map(({ report_key }) => report_key));
}

/**
 * Has a mailbox that was set aside get emails again, about what changes from now on; false where it
 * was not set aside.
 */
export async function reactivateMailbox(database: Database, email: string): Promise<boolean> {
  return await database.transaction(async (connection) => {
    const [reactivated] = await connection.query<{ subscription_id: string }>(sql`
      update subscriptions set state = 'verified', last_notified_change = ${LAST_CHANGE}
      where email = ${email} and state = 'bounced'
      returning subscription_id
    `);
    if (reactivated) await forgetRefusals(connection, reactivated.subscription_id);
    return reactivated !== undefined;
  });
}
