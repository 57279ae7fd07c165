import type { Connection } from "../database/database.ts";
import { isoTime, sql, timestamp } from "../database/sql.ts";

/** What an operator did. */
export interface AuditEntry {
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
export function readEntries(
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
