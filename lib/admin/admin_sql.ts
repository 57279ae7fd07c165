import { type Connection, queryOne } from "../database/database.ts";
import { isoTime, sql, timestamp } from "../database/sql.ts";
import type { SubscriptionState } from "../delivery/subscriptions/subscriptions_sql.ts";
import type { Cadence } from "../text/cadence.ts";
import type { Session } from "./session.ts";

/** The generation of sessions that is valid now, and whether a session was ended by its operator. */
export function readSessionState(
  connection: Connection,
  id: string | null,
): Promise<{ generation: number; isEnded: boolean }> {
  return queryOne(
    connection,
    sql`
      select admin_generation as generation,
        exists (select from ended_sessions where session_id = ${id}) as "isEnded"
      from service_state
    `,
  );
}

/** Ends a session, and forgets those that have expired since. */
export async function endSession(
  connection: Connection,
  { id, expires }: Session,
  now: Date,
): Promise<void> {
  await connection.query(sql`
    with expired as (delete from ended_sessions where expires_at < ${timestamp(now)})
    insert into ended_sessions (session_id, expires_at)
    values (${id}, to_timestamp(${expires}))
    on conflict do nothing
  `);
}

/** Ends all sessions. */
export async function raiseGeneration(connection: Connection): Promise<void> {
  await connection.query(sql`update service_state set admin_generation = admin_generation + 1`);
}

/** What an operator did. */
interface AuditEntry {
  entry_id: string;
  /** ISO 8601, UTC. */
  at: string;
  /** `token`, or the user that the proxy named. */
  who: string;
  action: string;
  /** What it was done to; empty where the action says it all. */
  subject: string;
}

/** Stores an entry. */
export async function storeEntry(
  connection: Connection,
  { at, who, action, subject }: Omit<AuditEntry, "entry_id" | "at"> & { at: Date },
): Promise<void> {
  await connection.query(sql`
    insert into audit_log (at, who, action, subject)
    values (${timestamp(at)}, ${who}, ${action}, ${subject})
  `);
}

/** The entries before one of them up to a limit, newest first; without one, the newest. */
export function readAuditEntries(
  connection: Connection,
  { before, limit }: { before: string | null; limit: number },
): Promise<AuditEntry[]> {
  return connection.query(sql`
    select entry_id::text as entry_id, ${isoTime(sql`at`)} as at, who, action, subject
    from audit_log
    where entry_id < coalesce(${before}::text::bigint, 9223372036854775807)
    order by audit_log.entry_id desc
    limit ${limit}
  `);
}

/** Deletes what operators did more than 90 days ago. */
export async function pruneAuditLog(connection: Connection, now: Date): Promise<void> {
  await connection.query(
    sql`delete from audit_log where at < ${timestamp(now)} - interval '90 days'`,
  );
}

/** What a list of subscribers is narrowed to; null: by nothing. */
export interface SubscriberFilter {
  /** A part of the address. */
  text: string;
  state: SubscriptionState | null;
  cadence: Cadence | null;
}

/** A subscriber as they are listed. */
export interface ListedSubscriber {
  subscription_id: string;
  email: string;
  state: SubscriptionState;
  cadence: Cadence;
  /** ISO 8601, UTC. */
  requested_at: string;
  refusal_reason: string | null;
}

/** The subscribers after an address, in the order of their addresses. */
export function browseSubscribers(
  connection: Connection,
  { text, state, cadence }: SubscriberFilter,
  { after, limit }: { after: string; limit: number },
): Promise<ListedSubscriber[]> {
  return connection.query(sql`
    select subscription_id, email, state, cadence,
      ${isoTime(sql`requested_at`)} as requested_at, refusal_reason
    from subscriptions
    where email collate "C" > ${after}
      and strpos(lower(email), lower(${text}::text)) > 0
      and (${state}::text is null or state = ${state})
      and (${cadence}::text is null or cadence = ${cadence})
    order by email collate "C"
    limit ${limit}
  `);
}

/** How many of these sources failed at their last import. */
export async function countFailingSources(
  connection: Connection,
  names: readonly string[],
): Promise<number> {
  const { count } = await queryOne<{ count: number }>(
    connection,
    sql`
      select count(*)::int as count
      from unnest(${[...names]}::text[]) as name
      cross join lateral (
        select error from import_runs
        where source_name = name and finished_at is not null
        order by run_id desc
        limit 1
      ) as last
      where error is not null
    `,
  );
  return count;
}
