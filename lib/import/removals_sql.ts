import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** What an import would remove of one product. */
export interface Loss {
  product_name: string;
  /** The active items that the source has of it. */
  active: number;
  removed: number;
}

/** What a refused import would have removed. */
export interface Removals {
  /** Items, of all products. */
  total: number;
  products: Loss[];
}

/** What an import would have removed; null: it was not refused for that. */
export async function readRefusal(
  connection: Connection,
  runId: number,
): Promise<Removals | null> {
  const [run] = await connection.query<{ refused: Removals | null }>(
    sql`select refused from import_runs where run_id = ${runId}`,
  );
  return run?.refused ?? null;
}

/** Has the next scheduled import accepted if it removes at most this many items; null: no longer. */
export async function acceptRemovals(
  connection: Connection,
  schedule: string,
  removals: number | null,
): Promise<void> {
  await connection.query(
    sql`update schedules set accepted_removals = ${removals} where name = ${schedule}`,
  );
}

/** How many removals are accepted of the next scheduled import; undefined: it has the usual limits. */
export async function readAcceptedRemovals(
  connection: Connection,
  schedule: string,
): Promise<number | undefined> {
  const [row] = await connection.query<{ accepted: number | null }>(
    sql`select accepted_removals as accepted from schedules where name = ${schedule}`,
  );
  return row?.accepted ?? undefined;
}
