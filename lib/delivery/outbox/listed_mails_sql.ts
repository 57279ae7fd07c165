import type { Connection } from "../../database/database.ts";
import { TRIED_FOR } from "../queue/queued_messages_sql.ts";
import { isoTime, sql, timestamp } from "../../database/sql.ts";
import type { MailState } from "../queue/mail_states.ts";

/** A mail as the outbox is listed; times in UTC, ISO 8601. */
export interface ListedMail {
  mail_id: string;
  subscription_id: string;
  email: string;
  status: MailState;
  attempts: number;
  created_at: string;
  due_at: string;
  last_error: string | null;
}

/** Mails with one of these states, newest first, without some of the newest. */
export function listMails(
  connection: Connection,
  { statuses, limit, offset = 0 }: {
    statuses: readonly MailState[];
    limit: number;
    offset?: number;
  },
): Promise<ListedMail[]> {
  return connection.query(sql`
    select mail_id, subscription_id, email, status, attempts, last_error,
      ${isoTime(sql`outbox.created_at`)} as created_at,
      ${isoTime(sql`due_at`)} as due_at
    from outbox join subscriptions using (subscription_id)
    where status = any(${[...statuses]}::text[])
    order by outbox.created_at desc, mail_id
    limit ${limit} offset ${offset}
  `);
}

/** What a host did, behind its name, that rejected several of our recipients and accepted none. */
export const REFUSES_SEVERAL = " rejects several recipients, so it has something against us:";

/** A host that has something against us. */
interface RefusingHost {
  host: string;
  /** Emails that wait for it. */
  mails: number;
  /** What it said of one of them. */
  reason: string;
}

/** The hosts that have something against us, those for which most emails wait first. */
export function readRefusingHosts(connection: Connection): Promise<RefusingHost[]> {
  return connection.query(sql`
    select host, count(*)::int as mails,
      min(substr(last_error, strpos(last_error, ${REFUSES_SEVERAL}) + ${
    REFUSES_SEVERAL.length + 1
  }::int)) as reason
    from outbox join subscriptions using (subscription_id)
    cross join lateral (select split_part(email, '@', 2) as host) as receiver
    where status = 'waiting' and starts_with(last_error, host || ${REFUSES_SEVERAL})
    group by host
    order by mails desc, host
    limit 20
  `);
}

/** How many mails there are in each state. */
export function countMails(
  connection: Connection,
): Promise<{ status: MailState; count: number }[]> {
  return connection.query(sql`
    select status, count(*)::int as count
    from outbox
    where webhook_id is null
    group by status
    order by status
  `);
}

/**
 * Makes emails due now that wait for their next attempt, or failed and are neither digests nor
 * reminders: one, or all. Those that are outdated stay as they are: a verification of an address
 * that is verified or unsubscribed by now, or has a newer one, and a link to preferences that are
 * saved by now. Returns how many became due.
 */
export async function retryMails(
  connection: Connection,
  { mailId, now }: { mailId: string | null; now: Date },
): Promise<number> {
  const retried = await connection.query(sql`
    update outbox
    set status = 'waiting', due_at = ${timestamp(now)}, finished_at = null,
      give_up_at = ${timestamp(now)} + ${TRIED_FOR.mail}
    where status in ('waiting', 'failed')
      and (${mailId}::uuid is null or mail_id = ${mailId}::uuid)
      and case kind
        when 'digest' then status = 'waiting'
        when 'reminder' then status = 'waiting'
        when 'preferences' then exists (
          select 1 from subscriptions
          where subscriptions.subscription_id = outbox.subscription_id
            and state = 'verified'
            and (outbox.status = 'waiting' or asked is not null)
        )
        when 'verification' then exists (
          select 1 from subscriptions
          where subscriptions.subscription_id = outbox.subscription_id and state = 'unverified'
        ) and not exists (
          select 1 from outbox as newer
          where newer.subscription_id = outbox.subscription_id
            and newer.kind = 'verification' and newer.created_at > outbox.created_at
        )
      end
    returning 1
  `);
  return retried.length;
}
