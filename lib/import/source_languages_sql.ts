import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** Stores the language of the texts of a source; null: it says none. Returns whether that is new. */
export async function storeLanguage(
  connection: Connection,
  source: string,
  language: string | null,
): Promise<boolean> {
  const changed = await connection.query(
    language === null
      ? sql`delete from source_languages where source = ${source} returning source`
      : sql`
        insert into source_languages (source, language) values (${source}, ${language})
        on conflict (source) do update set language = excluded.language
        where source_languages.language <> excluded.language
        returning source
      `,
  );
  return changed.length > 0;
}
