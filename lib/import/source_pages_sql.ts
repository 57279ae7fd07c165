import type { Connection } from "../database/database.ts";
import { json, sql } from "../database/sql.ts";

/** What a source was read from, and how: pages that were read with other options do not count. */
export interface ReadAs {
  location: string;
  /** Null: by what it delivered. */
  kind: string | null;
  /** How its fields are named here; absent: as they are. */
  fields?: unknown;
  /** The sheet of a spreadsheet; absent: the first one. */
  sheet?: string;
  /** How its pages are asked for; absent: by its own links. */
  api?: unknown;
}

/** What is remembered of a source: its pages, and how far its changes have been taken over. */
export interface Remembered<Page> {
  pages: readonly Page[];
  /** A cursor of `/api/changes`; null: it has no such changes. */
  changes_after: string | null;
}

/** What is remembered of a source, if it was read in this way last. */
export async function recallPages<Page>(
  connection: Connection,
  source: string,
  readAs: ReadAs,
): Promise<Remembered<Page>> {
  const [row] = await connection.query<Remembered<Page>>(sql`
    select pages, changes_after from source_pages
    where source = ${source} and read_as = ${json(readAs)}
  `);
  return row ?? { pages: [], changes_after: null };
}

/** Replaces the pages that the items of a source were read from. */
export async function rememberPages(
  connection: Connection,
  source: string,
  { readAs, pages, changes_after }: Remembered<unknown> & { readAs: ReadAs },
): Promise<void> {
  await connection.query(sql`
    insert into source_pages (source, read_as, pages, changes_after)
    values (
      ${source}, ${json(readAs)}, ${json(pages)},
      ${changes_after}::text
    )
    on conflict (source) do update set
      read_as = excluded.read_as, pages = excluded.pages, changes_after = excluded.changes_after
  `);
}

/** Deletes the pages of a source. */
export async function forgetPages(connection: Connection, source: string): Promise<void> {
  await connection.query(sql`delete from source_pages where source = ${source}`);
}
