import type { Connection, Database } from "../../database/database.ts";
import { queryOne } from "../../database/database.ts";
import { isoTime, type Sql, sql, timestamp } from "../../database/sql.ts";
import { countRefusals } from "../bounces/bounces_sql.ts";
import { type DigestReceiver, getsDigests } from "../digests/digests_sql.ts";
import { IS_HELD, tryNow, WHY_UNSENT } from "./mail_state_sql.ts";
import {
  claimNext,
  giveMessageUp,
  insertMessages,
  type MailKind,
  type MailState,
  PENDING_TOGETHER,
  TRIED_FOR,
} from "./messages_sql.ts";
import type { Cadence } from "../../text/cadence.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";

/** A mail that this process is to send now. */
export interface ClaimedMail extends DigestReceiver {
  mail_id: string;
  subscription_id: string;
  email: string;
  kind: MailKind;
  cadence: Cadence;
  /** Of a digest whose receiver gets digests now: the change that was stored last, by its id. */
  up_to: string | null;
  /** Other preferences were requested, which their owner has not reviewed yet. */
  is_asked: boolean;
  /** Counts from 1. */
  attempts: number;
  /** Milliseconds since 1970 */
  give_up_at: number;
}

/**
 * Claims the mails that have been due for longest, verification mails first, and of digests those
 * with the same content one after another. Of the mails that this process is sending, `except` keeps
 * it away whatever any clock says.
 */
export function claimMails(
  connection: Connection,
  { now, day, leaseSeconds, limit, except }: {
    now: Date;
    /** `YYYY-MM-DD` */
    day: string;
    leaseSeconds: number;
    limit: number;
    except: Iterable<string>;
  },
): Promise<ClaimedMail[]> {
  return connection.query(sql`
    ${
    claimNext({
      isWanted: sql`webhook_id is null and mail_id <> all(${[...except]}::uuid[])`,
      order: sql`priority, due_at`,
      limit,
      now,
      leaseSeconds,
    })
  }
    select mail_id, subscription_id, email, kind, attempts,
      variant, scope, filter, releases::text[] as releases, upcoming, cadence, filter_key,
      last_notified_change::text as last_notified_change,
      case when kind = 'digest' and ${getsDigests(day)} then ${LAST_CHANGE}::text end as up_to,
      asked is not null as is_asked,
      (extract(epoch from give_up_at) * 1000)::float8 as give_up_at
    from claimed join subscriptions using (subscription_id)
    order by priority, due_at, filter_key, last_notified_change
  `);
}

/** Gives mails back that were not tried, as if they had never been claimed. */
export async function giveBack(
  connection: Connection,
  mails: readonly ClaimedMail[],
): Promise<void> {
  await connection.query(sql`
    update outbox set leased_until = null, attempts = outbox.attempts - 1
    from unnest(
      ${mails.map(({ mail_id }) => mail_id)}::uuid[], ${
    mails.map(({ attempts }) => attempts)
  }::int[]
    ) as back (mail_id, attempts)
    where outbox.mail_id = back.mail_id and outbox.attempts = back.attempts
      and status = 'waiting'
  `);
}

/**
 * Stores the link that a verification mail will carry; false where the mail was taken back since it
 * was claimed. Who takes it back waits for this, and sees the link then.
 */
export async function addLink(
  connection: Connection,
  { mail_id }: ClaimedMail,
  { hash, now, expiresAt }: { hash: Uint8Array; now: Date; expiresAt: Date },
): Promise<boolean> {
  const added = await connection.query(sql`
    with waiting as (
      select subscription_id from outbox
      where mail_id = ${mail_id}::uuid and status = 'waiting'
      for update
    )
    insert into verification_tokens (token_hash, subscription_id, created_at, expires_at)
    select ${hash}, subscription_id, ${timestamp(now)}, ${timestamp(expiresAt)} from waiting
    returning 1
  `);
  return added.length > 0;
}

/**
 * Notes that a mail went out or was written to the log. A digest covers everything `up_to` a change;
 * what is pending beyond that is queued as another one.
 */
export function finishMail(
  connection: Connection,
  mail: ClaimedMail,
  { status, now }: { status: "sent" | "logged"; now: Date },
): Promise<void> {
  return finish(connection, [mail], {
    now,
    values: sql`, refusals = 0`,
    finished: sql`
      update outbox
      set status = ${status}, finished_at = ${timestamp(now)}, leased_until = null,
        last_error = null, is_refused = false
      from moved
      where outbox.mail_id = moved.mail_id
      returning moved.subscription_id, up_to, state, changes_up_to
    `,
  });
}

/** Removes mails that have nothing to say. A digest covers everything `up_to` a change all the same. */
export function dropMails(
  connection: Connection,
  mails: readonly ClaimedMail[],
  now: Date,
): Promise<void> {
  return finish(connection, mails, {
    now,
    finished: sql`
      delete from outbox using moved
      where outbox.mail_id = moved.mail_id and status = 'waiting'
      returning moved.subscription_id, up_to, state, changes_up_to
    `,
  });
}

/** In one statement, in which subscriptions are locked in their order, each before its mails. */
async function finish(
  connection: Connection,
  mails: readonly ClaimedMail[],
  { values = sql``, finished, now }: { values?: Sql; finished: Sql; now: Date },
): Promise<void> {
  const list = (name: "mail_id" | "subscription_id" | "up_to") => mails.map((mail) => mail[name]);
  await connection.query(sql`
    with receivers as materialized (
      select subscription_id as receiver from subscriptions
      where subscription_id = any(${list("subscription_id")}::uuid[])
      order by subscription_id
      for no key update
    ),
    moved as (
      update subscriptions
      set last_notified_change = greatest(last_notified_change, up_to)${values}
      from receivers join unnest(
        ${list("mail_id")}::uuid[], ${list("subscription_id")}::uuid[], ${list("up_to")}::bigint[]
      ) as done (mail_id, receiver, up_to) using (receiver)
      where subscription_id = receiver
      returning mail_id, subscription_id, up_to, state
    ),
    finished as (${finished})
    ${
    insertMessages("mail", {
      columns: sql`subscription_id, kind, changes_up_to`,
      rows: sql`
        select subscription_id, 'digest', changes_up_to from finished
        where changes_up_to > up_to and state = 'verified'
      `,
      now,
    })
  }
    ${PENDING_TOGETHER}
  `);
}

/**
 * Whether a refusal may be about us, as where we stand in a blocklist: the host of a mailbox has
 * others of our subscribers, and has accepted nothing for any of them since the mail was queued.
 */
export async function mayBeAboutUs(
  connection: Connection,
  { mail_id, email }: ClaimedMail,
): Promise<boolean> {
  const { is_possible } = await queryOne<{ is_possible: boolean }>(
    connection,
    sql`
      with others as materialized (
        select subscription_id from subscriptions
        where state = 'verified' and split_part(email, '@', 2) = split_part(${email}, '@', 2)
          and email <> ${email}
      )
      select exists (select from others) and not exists (
        select from others join outbox using (subscription_id)
        where status = 'sent'
          and finished_at >= (select created_at from outbox where mail_id = ${mail_id}::uuid)
      ) as is_possible
    `,
  );
  return is_possible;
}

/**
 * Notes why a mail was given up: the next digest has what was in it. Returns true if the mailbox has
 * now refused too often in a row.
 */
export function giveMailUp(
  database: Database,
  mail: ClaimedMail,
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
    return await giveMessageUp(connection, mail, { reason, isRefusal, now }) && isRefusal &&
      await countRefusals(connection, mail.subscription_id, { reason, now });
  });
}

/**
 * The hosts that refuse several mailboxes and accept none, those for which most emails wait first,
 * with what they said of one.
 */
export function readRefusingHosts(
  connection: Connection,
): Promise<{ host: string; mails: number; reason: string }[]> {
  return connection.query(sql`
    select split_part(email, '@', 2) as host, count(*)::int as mails, min(last_error) as reason
    from outbox join subscriptions using (subscription_id)
    where is_refused and status = 'waiting'
    group by host
    having count(distinct subscription_id) > 1
    order by mails desc, host
    limit 20
  `);
}

/** Whether the host of a mailbox has refused others as well since a mail was queued. */
export async function isHostRefusing(
  connection: Connection,
  { mail_id, email }: ClaimedMail,
): Promise<boolean> {
  const found = await connection.query(sql`
    select 1 from outbox join subscriptions using (subscription_id)
    where is_refused and email <> ${email}
      and split_part(email, '@', 2) = split_part(${email}, '@', 2)
      and coalesce(finished_at, 'infinity') >= (
        select created_at from outbox where mail_id = ${mail_id}::uuid
      )
    limit 1
  `);
  return found.length > 0;
}

/** Those that wait or failed: what is finished is not looked at, and has no place in their index. */
const UNSENT = sql`status in ('waiting', 'failed')`;

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

/** Mails, newest first, without some of the newest. */
export function listMails(
  connection: Connection,
  { which, limit, offset = 0 }: { which: "unsent" | "all"; limit: number; offset?: number },
): Promise<ListedMail[]> {
  return connection.query(sql`
    select mail_id, subscription_id, email, status, attempts,
      ${WHY_UNSENT} as last_error,
      ${isoTime(sql`outbox.created_at`)} as created_at,
      ${isoTime(sql`case when ${IS_HELD} then mail_state.paused_until else due_at end`)} as due_at
    from outbox
    join subscriptions using (subscription_id)
    left join mail_state on true
    where ${which === "unsent" ? UNSENT : sql`true`}
    order by outbox.created_at desc, mail_id
    limit ${limit} offset ${offset}
  `);
}

/** How many mails there are in each state. */
export function countMails(
  connection: Connection,
  which: "unsent" | "all",
): Promise<{ status: MailState; count: number }[]> {
  return connection.query(sql`
    select status, count(*)::int as count
    from outbox
    where webhook_id is null and ${which === "unsent" ? UNSENT : sql`true`}
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
  await tryNow(connection, now);
  const retried = await connection.query(sql`
    update outbox
    set status = 'waiting', is_refused = false, due_at = ${timestamp(now)}, finished_at = null,
      give_up_at = ${timestamp(now)} + ${TRIED_FOR.mail}
    where ${UNSENT}
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
