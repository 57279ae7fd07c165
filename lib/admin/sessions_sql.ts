import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** The generation of sessions that is valid now. */
export async function readGeneration(connection: Connection): Promise<number> {
  const { generation } = await queryOne<{ generation: number }>(
    connection,
    sql`select admin_generation as generation from service_state`,
  );
  return generation;
}

/** Ends all sessions. */
export async function raiseGeneration(connection: Connection): Promise<void> {
  await connection.query(sql`update service_state set admin_generation = admin_generation + 1`);
}
