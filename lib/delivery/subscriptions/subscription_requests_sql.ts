import {
  lockVerified,
  type Preferences,
  type SubscriptionState,
  supersedeMails,
  voidLinks,
} from "./subscriptions_sql.ts";
import type { Cadence } from "../../text/cadence.ts";
import { ADVISORY_LOCKS } from "../../database/advisory_locks.ts";
import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { insertMessages } from "../outbox/messages_sql.ts";
import { every, json, type Sql, sql, timestamp } from "../../database/sql.ts";
import type { VariantName } from "../../roadmap/variant.ts";

/** Mails by requests that one mailbox gets within 24 hours at most. */
const MAILS_A_DAY = 3;
/** The id of no subscription. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** What decides whether a mail goes out. */
interface Standing {
  state: SubscriptionState;
  /** Something else is asked for than what is stored. */
  asks_otherwise: boolean;
  /** Mails by requests to all addresses of the mailbox within a day. */
  mails_to_mailbox: number;
  /** An address of the mailbox was unsubscribed, and is not verified again. */
  has_unsubscribed: boolean;
  /** After that it had a verification mail within a day. */
  is_mailed_since: boolean;
  /** Mails by requests to everybody within an hour. */
  mails_to_all: number;
}

/** Whether a request brings a mail. */
function isMailAllowed(standing: Standing, mailsAnHour: number): boolean {
  return (standing.state !== "verified" || standing.asks_otherwise) &&
    standing.mails_to_mailbox < MAILS_A_DAY &&
    !(standing.has_unsubscribed && standing.is_mailed_since) &&
    standing.mails_to_all < mailsAnHour;
}

/**
 * What is asked for. What is not named (null) is what is stored, or else: each week, with what comes
 * up if it is each week, and with reminders.
 */
export type RequestedPreferences = Omit<Preferences, "cadence" | "upcoming" | "reminders"> & {
  cadence: Cadence | null;
  upcoming: boolean | null;
  reminders: boolean | null;
};

/** A request to subscribe an address. */
interface SubscriptionRequest {
  /** As `parseEmailAddress` returns it. */
  email: string;
  /** Null: those that the subscription has already, none where it is new. */
  preferences: RequestedPreferences | null;
  variant: VariantName;
  /** Mails by requests to all addresses together, within an hour at most. */
  mailsAnHour: number;
  now: Date;
}

/**
 * Accepts a request. An address that is not verified gets the preferences of the newest request, and,
 * where the limits allow it, a verification mail: its older links are void then. A verified address
 * that asks for something else gets a mail that leads to its preferences instead, where the owner
 * finds what was requested; else nothing changes. Runs the same statements in every case, so that
 * the time reveals nothing of an address. Returns whether this email was the last that the limit of
 * the hour allows.
 */
export function acceptRequest(
  database: Database,
  request: SubscriptionRequest,
): Promise<{ isLastOfHour: boolean }> {
  const { email, variant, now } = request;
  return database.transaction(async (connection) => {
    await lockMailbox(connection, email);
    // Makes the row or locks it. A column of a key would lock out mails that refer to the row.
    const { subscription_id: id } = await queryOne<{ subscription_id: string }>(
      connection,
      sql`
        insert into subscriptions (email, variant, requested_at)
        values (${email}, ${variant}, ${timestamp(now)})
        on conflict (email) do update set requested_at = subscriptions.requested_at
        returning subscription_id
      `,
    );
    const standing = (await readStanding(connection, id, request))!;
    const isVerified = standing.state === "verified";
    const sends = isMailAllowed(standing, request.mailsAnHour);
    const kinds = ["verification", "preferences", "invitation"] as const;
    await supersedeMails(connection, id, { now, kinds, where: sends });
    await voidLinks(connection, id, { now, where: sends && !isVerified });
    await storeRequest(connection, id, { request, standing, sends });
    await connection.query(insertMessages("mail", {
      columns: sql`subscription_id, kind`,
      rows: sql`
        select ${id}::uuid, ${isVerified ? "preferences" : "verification"}::text where ${sends}
      `,
      now,
    }));
    return { isLastOfHour: sends && standing.mails_to_all + 1 === request.mailsAnHour };
  });
}

/**
 * Accepts a request for the link to the preferences of an address, which gets it where it is subscribed
 * and within the limits. Runs the same statements in every case, too.
 */
export function acceptLinkRequest(
  database: Database,
  { email, mailsAnHour, now }: Pick<SubscriptionRequest, "email" | "mailsAnHour" | "now">,
): Promise<void> {
  return database.transaction(async (connection) => {
    await lockMailbox(connection, email);
    const id = await lockVerified(connection, email) ?? NOBODY;
    const standing = await readStanding(connection, id, { preferences: null, now });
    const sends = standing !== undefined &&
      isMailAllowed({ ...standing, asks_otherwise: true }, mailsAnHour);
    await supersedeMails(connection, id, { now, kinds: ["preferences"], where: sends });
    await connection.query(insertMessages("mail", {
      columns: sql`subscription_id, kind`,
      rows: sql`select ${id}::uuid, 'preferences' where ${sends}`,
      now,
    }));
  });
}

/** Has a request for the same mailbox at the same moment wait, and count our email. */
async function lockMailbox(connection: Connection, email: string): Promise<void> {
  await connection.query(sql`
    select pg_advisory_xact_lock(${ADVISORY_LOCKS.mailbox}::int, hashtext(mailbox_of(${email})))
  `);
}

/** Reads what decides whether a request about a subscription brings a mail; none where it is gone. */
async function readStanding(
  connection: Connection,
  id: string,
  { preferences, now }: Pick<SubscriptionRequest, "preferences" | "now">,
): Promise<Standing | undefined> {
  const withinDay = (moment: Sql) => isWithin(moment, { now, span: sql`interval '24 hours'` });
  const withinHour = (moment: Sql) => isWithin(moment, { now, span: sql`interval '1 hour'` });
  const [standing] = await connection.query<Standing>(
    sql`
      select requested.state,
        ${preferences ? sql`not (${hasPreferences(preferences)})` : sql`false`} as asks_otherwise,
        bool_or(other.state <> 'verified' and other.unsubscribed_at is not null)
          as has_unsubscribed,
        bool_or(
          other.state <> 'verified'
          and coalesce(${withinDay(sql`other.mailed_since_unsubscribing_at`)}, false)
        ) as is_mailed_since,
        (
          select count(*)::int from outbox join subscriptions as receiver using (subscription_id)
          where receiver.mailbox = requested.mailbox and ${IS_REQUESTED}
            and ${withinDay(sql`outbox.created_at`)}
        ) as mails_to_mailbox,
        (
          select count(*)::int from outbox
          where ${IS_REQUESTED} and ${withinHour(sql`created_at`)}
        ) as mails_to_all
      from subscriptions as requested join subscriptions as other using (mailbox)
      where requested.subscription_id = ${id}::uuid
      group by requested.subscription_id
    `,
  );
  return standing;
}

/** The condition that a mail was brought by a request. */
const IS_REQUESTED = sql`kind in ('verification', 'preferences')`;

/** The condition that a subscription, `requested`, has these preferences, in whatever order. */
function hasPreferences(
  { scope, filter, releases, cadence, upcoming, reminders }: RequestedPreferences,
): Sql {
  const watched = sql`${releases}::uuid[]`;
  return every([
    sql`requested.scope = ${scope}`,
    sql`requested.filter = ${json(filter)}`,
    sql`requested.releases <@ ${watched} and requested.releases @> ${watched}`,
    sql`requested.cadence = coalesce(${cadence}, requested.cadence)`,
    sql`requested.upcoming = coalesce(${upcoming}::boolean, requested.upcoming)`,
    sql`requested.reminders = coalesce(${reminders}::boolean, requested.reminders)`,
  ]);
}

/**
 * A moment that is not so long ago. One that lies as far ahead counts too: the clock was put back.
 * What lies further ahead does not, or a clock that was wrong for a moment would lock out for years.
 */
function isWithin(moment: Sql, { now, span }: { now: Date; span: Sql }): Sql {
  return sql`(
    ${moment} > ${timestamp(now)} - ${span} and ${moment} < ${timestamp(now)} + ${span}
  )`;
}

/**
 * Keeps the newest preferences until a link is followed, and, for a verified address, what its mail
 * will lead to; writes the row in every case.
 */
async function storeRequest(
  connection: Connection,
  id: string,
  { request: { preferences, variant, now }, standing, sends }: {
    request: SubscriptionRequest;
    standing: Standing;
    sends: boolean;
  },
): Promise<void> {
  const isOpen = standing.state !== "verified";
  const newest = isOpen ? preferences : null;
  const cadence = newest && (newest.cadence ?? "weekly");
  const mailedAt = sends && isOpen ? now.toISOString() : null;
  const asked = sends && !isOpen ? JSON.stringify(preferences) : null;
  await connection.query(sql`
    update subscriptions
    set state = ${sends && isOpen ? "unverified" : standing.state},
      variant = case when ${isOpen} then ${variant} else variant end,
      scope = coalesce(${newest?.scope ?? null}, scope),
      filter = coalesce(${newest && JSON.stringify(newest.filter)}::text::jsonb, filter),
      releases = coalesce(${newest?.releases ?? null}::uuid[], releases),
      cadence = coalesce(${cadence}, cadence),
      upcoming = coalesce(${
    newest && (newest.upcoming ?? cadence === "weekly")
  }::boolean, upcoming),
      reminders = coalesce(${newest && (newest.reminders ?? true)}::boolean, reminders),
      asked = coalesce(${asked}::text::jsonb, asked),
      requested_at = coalesce(${mailedAt}::timestamptz, requested_at),
      mailed_since_unsubscribing_at = coalesce(
        ${standing.has_unsubscribed ? mailedAt : null}::timestamptz,
        mailed_since_unsubscribing_at
      )
    where subscription_id = ${id}::uuid
  `);
}
