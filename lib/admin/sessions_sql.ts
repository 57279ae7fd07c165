import { type Connection, queryOne } from "../database/database.ts";
import { sql, timestamp } from "../database/sql.ts";
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
