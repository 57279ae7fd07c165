import { type Connection, queryOne } from "../../database/database.ts";
import { sql } from "../../database/sql.ts";
import type { DatedChange } from "../item.ts";
import type { Variant } from "../variant.ts";
import { splitLists } from "./change_in_words.ts";
import { isFieldShown, KINDS_OF_ENTRY, WHOLE_CHANGE } from "./changes_sql.ts";
import type { DateChange } from "./promise.ts";

/** Which piece of a history is wanted, counted in `per` from the newest one, 0, on. */
interface HistoryPiece {
  variant: Variant;
  /** All changes of one import are one modification. */
  per: "change" | "modification";
  start?: number;
  end: number;
}

/** A piece of what an item went through. */
export interface History {
  /** Whether there is such an item, and the variant shows it. */
  is_shown: boolean;
  /** Newest first; changes of one import in the order of fields. */
  changes: DatedChange[];
  /** How many changes or modifications the whole has. */
  total: number;
  /** The day of the first import that had it; null: no import did. */
  first_seen: string | null;
  /** The day on which its source says that it was created. */
  created: string | null;
}

/** An item may be seen for the first time after the day of a change that its source names later. */
const ORDER = sql`kind = 'added', day desc, run_id desc`;
const PLACES = {
  change: sql`row_number() over (order by ${ORDER}, change_id)`,
  modification: sql`dense_rank() over (order by ${ORDER})`,
};

/**
 * Reads a piece of what an item went through, as far as a variant shows it. An entry is found by its
 * id, that of its last change: among thousands of one release the planner may take the wrong index
 * for its import.
 */
export function readHistory(
  connection: Connection,
  id: string,
  { variant, per, start = 0, end }: HistoryPiece,
): Promise<History> {
  return queryOne(
    connection,
    sql`
      with own as (
        select *, max(change_id) over (partition by run_id) as entry_id
        from changes
        where release_item_id = ${id}::uuid
      ),
      placed as (
        select *, ${PLACES[per]} as place
        from own
        where ${isFieldShown(variant)}
          and ${variant.showsInactive ? sql`true` : sql`kind in ('added', 'changed')`}
      ),
      piece as (
        select *, (
          select ${KINDS_OF_ENTRY} from change_entries as entry where entry.entry_id = placed.entry_id
        ) as kinds
        from placed
        where place > ${start}::bigint and place <= ${end}::bigint
      )
      select
        exists (
          select from items
          where release_item_id = ${id}::uuid and ${variant.showsInactive ? sql`true` : sql`active`}
        ) as is_shown,
        (select coalesce(max(place), 0)::int from placed) as total,
        (
          select min(as_of)::text from changes join import_runs using (run_id)
          where release_item_id = ${id}::uuid
        ) as first_seen,
        (select created::text from items where release_item_id = ${id}::uuid) as created,
        coalesce(
          jsonb_agg(${WHOLE_CHANGE} order by ${ORDER}, change_id), '[]'
        ) as changes
      from piece
    `,
  );
}

/** More changes of its dates than a drawing of them can show. */
const MAX_DATES = 200;

/** The changes of the dates of a release, oldest first. */
export interface DateChanges {
  release: DateChange[];
  /** Those of named dates, by their names. */
  named: ReadonlyMap<string, DateChange[]>;
}

/** The last changes of the dates of an item. */
export async function readDateChanges(connection: Connection, id: string): Promise<DateChanges> {
  const rows = await connection.query<DateChange & { field: "release_date" | "dates" }>(sql`
    select day::text as day, field, old_value, new_value
    from (
      select day, run_id, change_id, field, old_value, new_value
      from changes
      where release_item_id = ${id}::uuid and field in ('release_date', 'dates')
      order by day desc, run_id desc, change_id desc
      limit ${MAX_DATES}
    ) as last_changes
    order by day, run_id, change_id
  `);
  const changes = rows.flatMap(({ day, ...change }) =>
    splitLists({ kind: "changed", ...change }).map((part) => ({ day, ...part }))
  );
  const byName = Map.groupBy(changes, ({ group }) => group ?? "");
  return { release: byName.get("") ?? [], named: byName };
}
