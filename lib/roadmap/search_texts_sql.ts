import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";

/** What a search looks into, of one item. */
export interface SearchText {
  release_item_id: string;
  /** Folded (lib/text/fold.ts) */
  search_text: string;
}

/** The search texts of these items, in their order, as many as fit into a number of bytes. */
export function readSearchTexts(
  connection: Connection,
  ids: readonly string[],
  maxBytes: number,
): Promise<SearchText[]> {
  return connection.query(sql`
    select release_item_id, search_text
    from (
      select release_item_id, search_text, place,
        sum(octet_length(search_text)) over (order by place) as bytes
      from unnest(${ids}::uuid[]) with ordinality as given (release_item_id, place)
      join items using (release_item_id)
    ) as texts
    where bytes <= ${maxBytes}::int
    order by place
  `);
}
