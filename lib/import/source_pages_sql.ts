import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** An address, and how it was read; null: by what it delivered. */
export interface LastSource {
  location: string;
  kind: string | null;
}

/** The pages that the items were taken from, if they were taken from this address last. */
export async function recallPages<Page>(
  connection: Connection,
  { location, kind }: LastSource,
): Promise<Page[]> {
  const [row] = await connection.query<{ pages: Page[] }>(sql`
    select pages from last_source
    where location = ${location} and kind is not distinct from ${kind}::text
  `);
  return row?.pages ?? [];
}

/** Remembers the pages that the items were taken from, and forgets those of before. */
export async function rememberPages(
  connection: Connection,
  { location, kind }: LastSource,
  pages: readonly unknown[],
): Promise<void> {
  await connection.query(sql`
    insert into last_source (location, kind, pages)
    values (${location}, ${kind}::text, ${JSON.stringify(pages)}::text::jsonb)
    on conflict (only_row) do update set
      location = excluded.location, kind = excluded.kind, pages = excluded.pages
  `);
}
