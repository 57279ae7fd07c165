import type { Cadence } from "../../text/cadence.ts";
import type { Connection, Database } from "../../database/database.ts";
import { MAIL_KINDS, type MailKind } from "../outbox/messages_sql.ts";
import { type Sql, sql, timestamp } from "../../database/sql.ts";
import { LAST_CHANGE } from "../../roadmap/changes/changes_sql.ts";
import type { ChangesFilter } from "../../roadmap/filter/filter.ts";
import type { Scope } from "../../roadmap/filter/preference_lists.ts";

/** `bounced`: its mail server refused so often that it gets no more. */
export type SubscriptionState = "unverified" | "verified" | "unsubscribed" | "bounced";

/** The preferences of a subscription. */
export interface Preferences {
  /** `chosen`: the filter is not empty. */
  scope: Scope;
  /** The releases, and of `kind` which of their changes. */
  filter: ChangesFilter;
  /** Ids of releases to watch. */
  releases: string[];
  cadence: Cadence;
  /** Digests list what comes up and what is overdue. */
  upcoming: boolean;
  /** Watched releases remind some days before their planned day. */
  reminders: boolean;
}

/** The columns of `Preferences`, and the day on which a pause ends; one that has ended is none. */
export function preferenceColumns(today: string): Sql {
  return sql`
    scope, filter, releases::text[] as releases, cadence, upcoming, reminders,
    case when paused_until > ${today}::date then paused_until::text end as paused_until
  `;
}

/** True where only watched releases are covered, and none is watched any more. */
export function coversNothing({ scope, releases }: Pick<Preferences, "scope" | "releases">) {
  return scope === "watched" && releases.length === 0;
}

/**
 * Takes back what waits: mails first, as a mail that is being taken for sending adds its link
 * before it is ours, and then the link is seen.
 */
export async function supersedeMails(
  connection: Connection,
  subscriptionId: string,
  { now, kinds, where = true }: { now: Date; kinds: readonly MailKind[]; where?: boolean },
): Promise<void> {
  await connection.query(sql`
    update outbox
    set status = 'superseded', finished_at = ${timestamp(now)}
    where subscription_id = ${subscriptionId}::uuid and status = 'waiting'
      and kind = any(${[...kinds]}::text[]) and ${where}
  `);
}

/** Ends the verification links that were sent. */
export async function voidLinks(
  connection: Connection,
  subscriptionId: string,
  { now, where = true }: { now: Date; where?: boolean },
): Promise<void> {
  await connection.query(sql`
    update verification_tokens set voided_at = ${timestamp(now)}
    where subscription_id = ${subscriptionId}::uuid and voided_at is null and ${where}
  `);
}

/** So long after its first use a verification link leads on to what the person can change. */
const LEADS_ON_MS = 60 * 60 * 1000;

/** A link that leads somewhere: not followed yet, or followed with success before. */
interface OpenLink {
  subscription_id: string;
  isUsed: boolean;
  /** False: it was followed long ago. */
  leadsOn: boolean;
}

/** Finds what a verification token opens; null where it is unknown, void or past its time. */
export async function findLink(
  connection: Connection,
  tokenHash: Uint8Array,
  now: Date,
): Promise<OpenLink | null> {
  const usedSince = new Date(now.getTime() - LEADS_ON_MS);
  const [link] = await connection.query<OpenLink>(sql`
    select subscription_id, used_at is not null as "isUsed",
      coalesce(used_at > ${timestamp(usedSince)}, true) as "leadsOn"
    from verification_tokens
    where token_hash = ${tokenHash} and voided_at is null
      and (used_at is not null or expires_at > ${timestamp(now)})
  `);
  return link ?? null;
}

/** Follows a verification link: its subscription is verified. Null as for `findLink`. */
export function followLink(
  database: Database,
  tokenHash: Uint8Array,
  now: Date,
): Promise<OpenLink | null> {
  return database.transaction(async (connection) => {
    // Every change of a subscription locks it first and its emails then, which prevents deadlocks;
    // not its key, to which a mail refers that is being taken for sending.
    await connection.query(sql`
      select 1 from subscriptions
      where subscription_id = (
        select subscription_id from verification_tokens where token_hash = ${tokenHash}
      )
      for no key update
    `);
    const link = await findLink(connection, tokenHash, now);
    if (link === null || link.isUsed) return link;
    await connection.query(sql`
      update subscriptions
      set state = 'verified', verified_at = ${timestamp(now)},
        mailed_since_unsubscribing_at = null,
        paused_until = null, asked = null,
        last_notified_change = ${LAST_CHANGE}
      where subscription_id = ${link.subscription_id}::uuid and state = 'unverified'
    `);
    await forgetRefusals(connection, link.subscription_id);
    await connection.query(sql`
      update verification_tokens set used_at = ${timestamp(now)}
      where token_hash = ${tokenHash}
    `);
    await supersedeMails(connection, link.subscription_id, { now, kinds: MAIL_KINDS });
    return link;
  });
}

/** Forgets that a mailbox refused emails. The caller has locked the row. */
export async function forgetRefusals(
  connection: Connection,
  subscriptionId: string,
): Promise<void> {
  await connection.query(sql`
    update subscriptions set refusals = 0, refused_at = null, refusal_reason = null
    where subscription_id = ${subscriptionId}::uuid
  `);
  await connection.query(sql`
    update outbox set came_back = false
    where subscription_id = ${subscriptionId}::uuid and came_back
  `);
}

/** The verified subscription of an address, locked; null if there is none. */
export async function lockVerified(connection: Connection, email: string): Promise<string | null> {
  const [found] = await connection.query<{ subscription_id: string }>(sql`
    select subscription_id from subscriptions
    where email = ${email} and state = 'verified'
    for no key update
  `);
  return found?.subscription_id ?? null;
}

/** The state of a subscription; null where there is none (any more). */
export async function findState(
  connection: Connection,
  subscriptionId: string,
): Promise<SubscriptionState | null> {
  const [row] = await connection.query<{ state: SubscriptionState }>(sql`
    select state from subscriptions where subscription_id = ${subscriptionId}::uuid
  `);
  return row?.state ?? null;
}

/** Unsubscribes, whatever the state; false where there is no such subscription (any more). */
export function unsubscribe(
  database: Database,
  subscriptionId: string,
  now: Date,
): Promise<boolean> {
  return database.transaction(async (connection) => {
    const changed = await connection.query(sql`
      update subscriptions
      set state = 'unsubscribed',
        unsubscribed_at = case
          when state = 'unsubscribed' then unsubscribed_at
          else ${timestamp(now)}
        end
      where subscription_id = ${subscriptionId}::uuid
      returning 1
    `);
    await supersedeMails(connection, subscriptionId, { now, kinds: MAIL_KINDS });
    await voidLinks(connection, subscriptionId, { now });
    return changed.length === 1;
  });
}
