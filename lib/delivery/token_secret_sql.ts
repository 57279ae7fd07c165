import { randomBytes } from "node:crypto";
import { type Connection, queryOne } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** The secret that this database keeps for signing links; the first process that reads it makes it. */
export async function readTokenSecret(connection: Connection): Promise<string> {
  await connection.query(sql`
    insert into token_secret (secret) values (${randomBytes(32).toString("base64url")})
    on conflict do nothing
  `);
  const { secret } = await queryOne<{ secret: string }>(
    connection,
    sql`select secret from token_secret`,
  );
  return secret;
}
