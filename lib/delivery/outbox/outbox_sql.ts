import type { Connection, Database } from "../../database/database.ts";
import { isoTime, sql, timestamp } from "../../database/sql.ts";
import { countRefusals } from "../bounces/bounces_sql.ts";
import { type DigestReceiver, getsDigests } from "../digests/digests_sql.ts";
import {
  finishMessage,
  giveMessageUp,
  insertMessages,
  leaseNext,
  type MailKind,
  type MailState,
  NO_MAIL_LEAVES,
  TRIED_FOR,
} from "./messages_sql.ts";
import type { Cadence } from "../../text/cadence.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";

/** A mail that this process is to send now. */
export interface TakenMail extends DigestReceiver {
  mail_id: string;
  subscription_id: string;
  email: string;
  kind: MailKind;
  cadence: Cadence;
  /** Its receiver gets digests now. */
  gets_digests: boolean;
  /** The id of the change that was stored last. */
  last_change: string;
  /** Other preferences were requested, which their owner has not reviewed yet. */
  is_asked: boolean;
  /** Counts from 1. */
  attempts: number;
  /** How often in a row its receiver was refused. */
  refusals: number;
  /** Milliseconds since 1970 */
  give_up_at: number;
}

/**
 * Takes the mail that has been due for longest, verification mails first, together with the link
 * that it will carry if it is one; null where none is due. Of the mails that this process is
 * sending, `except` keeps it away whatever any clock says.
 */
export async function takeMail(
  connection: Connection,
  { now, day, leaseSeconds, except, link }: {
    now: Date;
    /** `YYYY-MM-DD` */
    day: string;
    leaseSeconds: number;
    except: Iterable<string>;
    link: { hash: Uint8Array; expiresAt: Date };
  },
): Promise<TakenMail | null> {
  const [mail] = await connection.query<TakenMail>(sql`
    ${
    leaseNext({
      isWanted: sql`
        webhook_id is null and mail_id <> all(${[...except]}::uuid[])
        and not exists (
          select from outbox
          where status = 'waiting' and webhook_id is null and due_at > ${timestamp(now)}
            and starts_with(last_error, ${NO_MAIL_LEAVES})
        )
      `,
      order: sql`priority, due_at`,
      now,
      leaseSeconds,
    })
  },
    link as (
      insert into verification_tokens (token_hash, subscription_id, created_at, expires_at)
      select ${link.hash}, subscription_id, ${timestamp(now)},
        ${timestamp(link.expiresAt)}
      from taken
      where kind in ('verification', 'invitation')
    )
    select mail_id, subscription_id, email, kind, attempts, refusals,
      variant, scope, filter, releases::text[] as releases, upcoming, cadence, filter_key,
      last_notified_change::text as last_notified_change,
      ${getsDigests(day)} as gets_digests, ${LAST_CHANGE}::text as last_change,
      asked is not null as is_asked,
      (extract(epoch from give_up_at) * 1000)::float8 as give_up_at
    from taken join subscriptions using (subscription_id)
  `);
  return mail ?? null;
}

/**
 * Notes that a mail went out, was written to the log, or had nothing to say any more. A digest told
 * everything `upTo` a change; what it owes beyond that is queued as another one.
 */
export function finishMail(
  database: Database,
  mail: TakenMail,
  { status, now, upTo = null }: {
    status: "sent" | "logged" | "superseded";
    now: Date;
    /** Null: it is no digest, or its receiver gets none now. */
    upTo?: string | null;
  },
): Promise<void> {
  const { subscription_id } = mail;
  return database.transaction(async (connection) => {
    // A subscription is never locked after its mails.
    if (upTo !== null) {
      await connection.query(sql`
        update subscriptions
        set last_notified_change = greatest(last_notified_change, ${upTo}::bigint)
        where subscription_id = ${subscription_id}::uuid
      `);
    }
    if (mail.refusals > 0 && status !== "superseded") {
      await connection.query(sql`
        update subscriptions set refusals = 0 where subscription_id = ${subscription_id}::uuid
      `);
    }
    const owed = await finishMessage(connection, mail, { status, now });
    if (upTo === null || owed === null || BigInt(owed) <= BigInt(upTo)) return;
    await connection.query(insertMessages("mail", {
      columns: sql`subscription_id, kind, changes_up_to`,
      rows: sql`select ${subscription_id}::uuid, 'digest', ${owed}::bigint`,
      now,
    }));
  });
}

/**
 * Notes why a mail was given up: the next digest has what was in it. Returns true if the mailbox has
 * now refused too often in a row.
 */
export function giveMailUp(
  database: Database,
  mail: TakenMail,
  { reason, isRefusal, now }: {
    reason: string;
    /** The server will take no mail for this receiver. */
    isRefusal: boolean;
    now: Date;
  },
): Promise<boolean> {
  return database.transaction(async (connection) => {
    await connection.query(sql`
      select 1 from subscriptions
      where subscription_id = ${mail.subscription_id}::uuid for no key update
    `);
    if (!await giveMessageUp(connection, mail, { reason, now })) return false;
    if (!isRefusal) return false;
    await connection.query(sql`
      update outbox set came_back = true where mail_id = ${mail.mail_id}::uuid
    `);
    return await countRefusals(connection, mail.subscription_id, { reason, now });
  });
}

/**
 * Has every mail that is due wait together with one that did not go out, as none does: it is tried
 * once for all of them, after a pause that grows with its attempts.
 */
export async function postponeAll(
  connection: Connection,
  { mail_id, attempts }: TakenMail,
  { reason, dueAt, now }: { reason: string; dueAt: Date; now: Date },
): Promise<void> {
  // In the order in which a run of digests locks what waits, so that neither waits for the other.
  await connection.query(sql`
    with together as (
      select mail_id from outbox
      where status = 'waiting' and webhook_id is null
        and (
          mail_id = ${mail_id}::uuid and attempts = ${attempts}::int
          or due_at <= ${timestamp(now)} and (leased_until is null or leased_until <= now())
        )
      order by mail_id
      for update
    )
    update outbox
    set last_error = ${NO_MAIL_LEAVES + reason}, due_at = ${timestamp(dueAt)}, leased_until = null,
      attempts = greatest(attempts, ${attempts}::int)
    from together
    where outbox.mail_id = together.mail_id
  `);
}

/** Has the mails that wait because none leaves be tried now: the settings may be others. */
export async function tryAgain(connection: Connection, now: Date): Promise<void> {
  await connection.query(sql`
    update outbox set due_at = least(due_at, ${timestamp(now)})
    where status = 'waiting' and webhook_id is null and starts_with(last_error, ${NO_MAIL_LEAVES})
  `);
}

/** Why no mail leaves, and how many wait for that; null: mails leave. */
export async function readOutage(
  connection: Connection,
): Promise<{ reason: string; mails: number } | null> {
  const [found] = await connection.query<{ reason: string; mails: number }>(sql`
    select substr(min(last_error), ${NO_MAIL_LEAVES.length + 1}::int) as reason,
      count(*)::int as mails
    from outbox
    where status = 'waiting' and webhook_id is null and starts_with(last_error, ${NO_MAIL_LEAVES})
    having count(*) > 0
  `);
  return found ?? null;
}

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
        else exists (
          select 1 from subscriptions
          where subscriptions.subscription_id = outbox.subscription_id and state = 'unverified'
        ) and not exists (
          select 1 from outbox as newer
          where newer.subscription_id = outbox.subscription_id
            and newer.kind in ('verification', 'invitation') and newer.created_at > outbox.created_at
        )
      end
    returning 1
  `);
  return retried.length;
}
