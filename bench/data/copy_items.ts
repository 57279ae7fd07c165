import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { once } from "node:events";
import { join } from "node:path";
import postgres from "postgres";
import { searchText } from "../../lib/text/search_text.ts";
import type { SnapshotRow } from "./snapshot_rows.ts";

const COLUMNS = `release_item_id, feature_name, release_date, release_type, release_status,
  product_name, feature_description, last_modified, product_names, search_text`;

/**
 * Copies items into the table of items of a migrated PostgreSQL; returns the milliseconds taken.
 */
export async function copyIntoPostgres(url: string, rows: Iterable<SnapshotRow>): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const started = performance.now();
  const copy = await sql.unsafe(`copy items (${COLUMNS}) from stdin`).writable();
  for (const row of rows) if (!copy.write(formatRow(row))) await once(copy, "drain");
  copy.end();
  await once(copy, "finish");
  await sql`vacuum (analyze) items`;
  const taken = performance.now() - started;
  await sql.end();
  return taken;
}

/** The same for the embedded database of a folder. */
export async function copyIntoEmbedded(
  folder: string,
  rows: Iterable<SnapshotRow>,
): Promise<number> {
  const database = await PGlite.create(join(folder, "postgres"), {
    extensions: { pg_trgm, vector },
  });
  const started = performance.now();
  const lines: string[] = [];
  for (const row of rows) lines.push(formatRow(row));
  const blob = new Blob(lines);
  await database.query(`copy items (${COLUMNS}) from '/dev/blob'`, [], { blob });
  await database.exec("vacuum (analyze) items");
  const taken = performance.now() - started;
  await database.close();
  return taken;
}

/**
 * PostgreSQL documentation, COPY, "Text Format"; no value of the bench has to be escaped, and all
 * stand in the order of the columns.
 */
function formatRow(row: SnapshotRow): string {
  const product_names = [row.product_name];
  const names = `{${JSON.stringify(row.product_name)}}`;
  return `${[...Object.values(row), names, searchText({ ...row, product_names })].join("\t")}\n`;
}
