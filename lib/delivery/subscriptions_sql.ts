import { type Connection, type Database, queryOne } from "../database/database.ts";
import { TRIED_FOR } from "./outbox_sql.ts";
import { sql } from "../database/sql.ts";

/** Verification mails that one address gets within 24 hours at most. */
const MAILS_A_DAY = 3;

export type SubscriptionState = "unverified" | "verified" | "unsubscribed";

/** What a subscription is narrowed to; an empty list does not narrow. */
export interface Wishes {
  products: string[];
  types: string[];
  statuses: string[];
}

/** Somebody asks to subscribe an address. */
export interface SubscriptionRequest {
  /** As `parseEmailAddress` returns it. */
  email: string;
  /** Null: those that the subscription has already, none where it is new. */
  wishes: Wishes | null;
  variant: "A" | "B";
  now: Date;
}

/**
 * Takes a request: an address that is new, unverified or unsubscribed is unverified afterwards, a
 * verification mail waits in the outbox, and its older links are void. For a verified address,
 * and for one that had its mails of the day, nothing changes. Runs the same statements in every
 * case, so that the time tells nothing of an address.
 */
export function takeRequest(database: Database, request: SubscriptionRequest): Promise<void> {
  const { email, wishes, variant } = request;
  const now = request.now.toISOString();
  return database.transaction(async (connection) => {
    // Makes the row or locks it: whoever asks at the same moment waits here.
    const { subscription_id: id } = await queryOne<{ subscription_id: string }>(
      connection,
      sql`
        insert into subscriptions (email, variant, requested_at)
        values (${email}, ${variant}, ${now}::timestamptz)
        on conflict (email) do update set email = excluded.email
        returning subscription_id
      `,
    );
    const { sends } = await queryOne<{ sends: boolean }>(
      connection,
      sql`
        select state <> 'verified' and (
          select count(*) < ${MAILS_A_DAY}::int from outbox
          where outbox.subscription_id = subscriptions.subscription_id
            and kind = 'verification'
            and outbox.created_at > ${now}::timestamptz - interval '24 hours'
        ) as sends
        from subscriptions
        where subscription_id = ${id}::uuid
      `,
    );
    await voidLinks(connection, id, { now, where: sends });
    await connection.query(sql`
      update subscriptions
      set state = 'unverified', variant = ${variant}, requested_at = ${now}::timestamptz,
        products = coalesce(${wishes?.products ?? null}::text[], products),
        types = coalesce(${wishes?.types ?? null}::text[], types),
        statuses = coalesce(${wishes?.statuses ?? null}::text[], statuses)
      where subscription_id = ${id}::uuid and ${sends}
    `);
    await connection.query(sql`
      insert into outbox (subscription_id, created_at, due_at, give_up_at)
      select ${id}::uuid, ${now}::timestamptz, ${now}::timestamptz,
        ${now}::timestamptz + ${TRIED_FOR}
      where ${sends}
    `);
  });
}

/**
 * Takes back mails that wait, and links that were sent. Mails come first: a mail that is being
 * taken for sending adds its link before it is ours, and then the link is seen.
 */
async function voidLinks(
  connection: Connection,
  subscriptionId: string,
  { now, where }: { now: string; where: boolean },
): Promise<void> {
  await supersedeMails(connection, subscriptionId, { now, where });
  await connection.query(sql`
    update verification_tokens set voided_at = ${now}::timestamptz
    where subscription_id = ${subscriptionId}::uuid and voided_at is null and ${where}
  `);
}

async function supersedeMails(
  connection: Connection,
  subscriptionId: string,
  { now, where }: { now: string; where: boolean },
): Promise<void> {
  await connection.query(sql`
    update outbox set status = 'superseded', finished_at = ${now}::timestamptz
    where subscription_id = ${subscriptionId}::uuid and status = 'waiting' and ${where}
  `);
}

/** A link that leads somewhere: not followed yet, or followed with success before. */
export interface OpenLink {
  subscription_id: string;
  isUsed: boolean;
}

/** Finds what a verification token opens; null where it is unknown, void or past its time. */
export async function findLink(
  connection: Connection,
  tokenHash: Uint8Array,
  now: Date,
): Promise<OpenLink | null> {
  const [link] = await connection.query<{ subscription_id: string; is_used: boolean }>(sql`
    select subscription_id, used_at is not null as is_used
    from verification_tokens
    where token_hash = ${tokenHash} and voided_at is null
      and (used_at is not null or expires_at > ${now.toISOString()}::timestamptz)
  `);
  return link ? { subscription_id: link.subscription_id, isUsed: link.is_used } : null;
}

/** Follows a verification link: its subscription is verified. Null as for `findLink`. */
export function followLink(
  database: Database,
  tokenHash: Uint8Array,
  now: Date,
): Promise<OpenLink | null> {
  return database.transaction(async (connection) => {
    // Whoever changes a subscription locks it first, so that nobody waits in a circle.
    await connection.query(sql`
      select 1 from subscriptions
      where subscription_id = (
        select subscription_id from verification_tokens where token_hash = ${tokenHash}
      )
      for update
    `);
    const link = await findLink(connection, tokenHash, now);
    if (link === null || link.isUsed) return link;
    await connection.query(sql`
      update subscriptions
      set state = 'verified', verified_at = ${now.toISOString()}::timestamptz,
        told_up_to = (select coalesce(max(change_id), 0) from changes)
      where subscription_id = ${link.subscription_id}::uuid and state = 'unverified'
    `);
    await connection.query(sql`
      update verification_tokens set used_at = ${now.toISOString()}::timestamptz
      where token_hash = ${tokenHash}
    `);
    const asked = { now: now.toISOString(), where: true };
    await supersedeMails(connection, link.subscription_id, asked);
    return link;
  });
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
          else ${now.toISOString()}::timestamptz
        end
      where subscription_id = ${subscriptionId}::uuid
      returning 1
    `);
    await voidLinks(connection, subscriptionId, { now: now.toISOString(), where: true });
    return changed.length === 1;
  });
}
