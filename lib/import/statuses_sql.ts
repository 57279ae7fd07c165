import type { Connection } from "../database/database.ts";
import { sql } from "../database/sql.ts";
import type { ReadStatus } from "./mapping/map_table.ts";

/** A status of a source. */
export type StoredStatus = ReadStatus & { source: string };

/**
 * The statuses of active items, with what they count as and why: those that nobody knows first,
 * then the commonest.
 *
 * @param source null: of all sources, in the order of their names
 */
export function readStatuses(
  connection: Connection,
  source: string | null = null,
): Promise<StoredStatus[]> {
  return connection.query<StoredStatus>(sql`
    select source, release_status as status, count(*)::int as count, tone, tone_by as by
    from items
    where active and (${source}::text is null or source = ${source})
    group by source, release_status, tone, tone_by
    order by source, tone_by = 'unknown' desc, count(*) desc, release_status, tone
  `);
}
