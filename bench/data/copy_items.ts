import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { vector } from "@electric-sql/pglite-pgvector";
import { once } from "node:events";
import { join } from "node:path";
import postgres from "postgres";
import { searchText } from "../../lib/text/search_text.ts";
import type { SnapshotRow } from "./snapshot_rows.ts";

/** The columns of each table; an item and its text have the same number. */
const COLUMNS = {
  item_texts: "text_id, search_text",
  item_rows: `text_id, release_item_id, feature_name, release_date, release_type, release_status,
    product_name, feature_description, last_modified, product_names`,
};

/** Copies items into the tables of a migrated PostgreSQL; returns the milliseconds taken. */
export async function copyIntoPostgres(url: string, rows: Iterable<SnapshotRow>): Promise<number> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const started = performance.now();
  for (const [table, lines] of Object.entries(formatRows(rows))) {
    const copy = await sql.unsafe(`copy ${writtenTo(table)} from stdin`).writable();
    for (const line of lines) if (!copy.write(line)) await once(copy, "drain");
    copy.end();
    await once(copy, "finish");
    await sql.unsafe(`vacuum (analyze) ${table}`);
  }
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
  for (const [table, lines] of Object.entries(formatRows(rows))) {
    const blob = new Blob(lines);
    await database.query(`copy ${writtenTo(table)} from '/dev/blob'`, [], { blob });
    await database.exec(`vacuum (analyze) ${table}`);
  }
  const taken = performance.now() - started;
  await database.close();
  return taken;
}

function writtenTo(table: string): string {
  return `${table} (${COLUMNS[table as keyof typeof COLUMNS]})`;
}

/**
 * PostgreSQL documentation, COPY, "Text Format"; no value of the bench has to be escaped, and all
 * stand in the order of the columns.
 */
function formatRows(rows: Iterable<SnapshotRow>): Record<keyof typeof COLUMNS, string[]> {
  const lines: Record<keyof typeof COLUMNS, string[]> = { item_texts: [], item_rows: [] };
  for (const row of rows) {
    const number = lines.item_rows.length + 1;
    const product_names = [row.product_name];
    const names = `{${JSON.stringify(row.product_name)}}`;
    lines.item_texts.push(`${number}\t${searchText({ ...row, product_names })}\n`);
    lines.item_rows.push(`${[number, ...Object.values(row), names].join("\t")}\n`);
  }
  return lines;
}
