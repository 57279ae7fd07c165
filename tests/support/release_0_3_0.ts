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
export async function readBackupOf030(): Promise<Uint8Array<ArrayBuffer>> {
  const file = await Deno.readFile(new URL("0.3.0.sql.br", FOLDER));
  return new Uint8Array(brotliDecompressSync(file));
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
