import type { Connection } from "../database/database.ts";
import { isoTime, json, sql, timestamp } from "../database/sql.ts";

/** A token that may import some sources and nothing else. */
export interface ImportToken {
  name: string;
  sources: string[];
  /** ISO 8601, UTC. */
  created_at: string;
  /** `YYYY-MM-DD`; null: it has not been used. */
  last_used_on: string | null;
}

const TOKEN = sql`
  name, sources, ${isoTime(sql`created_at`)} as created_at, last_used_on::text as last_used_on
`;

/** All tokens, by name. */
export function listImportTokens(connection: Connection): Promise<ImportToken[]> {
  return connection.query(sql`select ${TOKEN} from import_tokens order by name`);
}

/** Stores a token; false: its name is taken. */
export async function storeImportToken(
  connection: Connection,
  { name, hash, sources, now }: { name: string; hash: string; sources: string[]; now: Date },
): Promise<boolean> {
  const stored = await connection.query(sql`
    insert into import_tokens (name, hash, sources, created_at)
    values (${name}, ${hash}, ${json(sources)}, ${timestamp(now)})
    on conflict (name) do nothing
    returning name
  `);
  return stored.length > 0;
}

/** Removes a token; false: there is none of this name. */
export async function removeImportToken(connection: Connection, name: string): Promise<boolean> {
  const removed = await connection.query(sql`
    delete from import_tokens where name = ${name} returning name
  `);
  return removed.length > 0;
}

/** The token with this hash, whose use on a day is noted; null: there is none. */
export async function useToken(
  connection: Connection,
  hash: string,
  day: string,
): Promise<ImportToken | null> {
  const [token] = await connection.query<ImportToken>(sql`
    with used as (
      update import_tokens set last_used_on = ${day}::date
      where hash = ${hash} and last_used_on is distinct from ${day}::date
    )
    select ${TOKEN} from import_tokens where hash = ${hash}
  `);
  return token ?? null;
}
