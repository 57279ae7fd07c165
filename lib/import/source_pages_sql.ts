import type { Connection } from "../database/database.ts";
import { json, sql } from "../database/sql.ts";

/** What a source was read from, and how: pages that were read with other options do not count. */
type ReadAs = Readonly<Record<string, unknown>>;

/** The pages of a source, if it was read in this way last. */
export async function recallPages<Page>(
  connection: Connection,
  source: string,
  readAs: ReadAs,
): Promise<readonly Page[]> {
  const [row] = await connection.query<{ pages: readonly Page[] }>(sql`
    select pages from source_pages where source = ${source} and read_as = ${json(readAs)}
  `);
  return row?.pages ?? [];
}

/** Replaces the pages that the items of a source were read from. */
export async function rememberPages(
  connection: Connection,
  source: string,
  { readAs, pages }: { readAs: ReadAs; pages: readonly unknown[] },
): Promise<void> {
  await connection.query(sql`
    insert into source_pages (source, read_as, pages)
    values (${source}, ${json(readAs)}, ${json(pages)})
    on conflict (source) do update set read_as = excluded.read_as, pages = excluded.pages
  `);
}

/** Deletes the pages of a source. */
export async function forgetPages(connection: Connection, source: string): Promise<void> {
  await connection.query(sql`delete from source_pages where source = ${source}`);
}
