import { brotliDecompressSync } from "node:zlib";
import type { Database } from "../../lib/database/database.ts";
import { readSqlBackup } from "../../lib/database/sql_backup.ts";

const FOLDER = new URL("../fixtures/upgrade/", import.meta.url);

/** When version 0.3.0 left the database. */
export const LEFT_AT = "2026-11-28T12:00:00Z";

/**
 * A database as version 0.3.0 left it, as its `deno task backup --sql --with-secrets` wrote it: two
 * imports, three subscribers, digests and an email that wait, a source that a page added, and its secret.
 */
export function readBackupOf030(): Promise<Uint8Array<ArrayBuffer>> {
  return unpack("0.3.0.sql.br");
}

async function unpack(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(brotliDecompressSync(await Deno.readFile(new URL(name, FOLDER))));
}

/**
 * Statements that version 0.3.0 sends to PostgreSQL: every clause of those that its tests sent, but
 * for vectors, whose tables exist only where embeddings are configured.
 */
export async function readStatementsOf030(): Promise<string[]> {
  return JSON.parse(new TextDecoder().decode(await unpack("0.3.0-statements.json.br")));
}

/** What version 0.3.0 answered on that database, by path, and the rows that operators saw. */
export async function readAnswersOf030(): Promise<{
  /** That were emailed, by address. */
  links: Record<string, string>;
  answers: Record<string, unknown>;
  subscribers: object[];
  mails: object[];
  imports: object[];
}> {
  return JSON.parse(await Deno.readTextFile(new URL("0.3.0.json", FOLDER)));
}

/** Fills a database without tables with it, and what a killed import of 0.3.0 would have left. */
export async function loadDatabaseOf030(database: Database): Promise<void> {
  await readSqlBackup(database, new Blob([await readBackupOf030()]).stream());
  await database.script(`
    insert into prepared_items
    select release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, last_modified, active, source, tone,
      tone_by, created, product_names, tags, text_id, 99
    from item_rows;
    insert into prepared_words values (99, 'leftover')
  `);
}

/**
 * Fills a database without tables with two roadmaps as version 0.3.0 stored them, from files that
 * have more dates than it read: m365.json (imported twice, as the default source) and plan.csv.
 */
export async function loadRoadmapsOf030(database: Database): Promise<void> {
  const backup = await unpack("0.3.0-roadmaps.sql.br");
  await readSqlBackup(database, new Blob([backup]).stream());
}

/** The path of a file in tests/fixtures/upgrade. */
export function fileOf030(name: string): string {
  return new URL(name, FOLDER).pathname;
}
