import type { DatedChange, ListedItem } from "../item.ts";
import type { DateChange } from "./promise.ts";
import type { Variant } from "../variant.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { LISTED_ITEM } from "../items_sql.ts";
import { every, literal, type Sql, sql } from "../../database/sql.ts";

/** A list of changes is no place for whole descriptions. */
const LISTED_VALUE = 200;
/** The most changes of an item in one day that are shown, the last ones. */
const MAX_CHANGES_A_DAY = 50;

/**
 * A change as a JSON object, as the formats take it; a longer text is shortened. Beside the columns
 * of a change it takes `kinds`.
 */
export function changeUpTo(length: number): Sql {
  const upTo = (value: Sql) =>
    sql`case when ${HOLDS_JSON} then ${value} else ${shortened(value, length)} end`;
  return changeWith(upTo(sql`old_value`), upTo(sql`new_value`));
}

/** A change of a list is JSON, of which a part says nothing. */
const HOLDS_JSON = sql`field in ('product_names', 'tags', 'dates')`;

function changeWith(oldValue: Sql, newValue: Sql): Sql {
  return sql`
    jsonb_build_object(
      'kind', kind, 'field', field, 'old_value', ${oldValue}, 'new_value', ${newValue},
      'fields', fields, 'day', day, 'run_id', run_id, 'kinds', kinds,
      'by_source', by_source
    )
  `;
}

/** The kinds of an entry, a row of `change_entries`. */
export const KINDS_OF_ENTRY =
  sql`jsonb_build_object('quarter', kinds_by_quarter, 'day', kinds_by_day)`;

/** The kinds of the entry of a row of `changes`. */
export const KINDS = sql`(
  select ${KINDS_OF_ENTRY}
  from change_entries as entry
  where entry.run_id = changes.run_id and entry.release_item_id = changes.release_item_id
) as kinds`;

/** The first characters of a text, and a sign where there are more; a long one is not read whole. */
export function shortened(text: Sql, length: number): Sql {
  const begin = sql`left(${text}, ${literal(length)})`;
  // An ASCII statement takes half the memory of one that holds the ellipsis itself.
  return sql`
    ${begin} || case when octet_length(${text}) > octet_length(${begin}) then ${ELLIPSIS} else '' end
  `;
}

const ELLIPSIS = sql`chr(8230)`;

/** The condition that a variant shows a change. */
export function isShownBy(
  { showsInactive, hiddenFields }: Variant,
  kind: Sql = sql`kind`,
): Sql {
  return every([
    showsInactive ? sql`true` : sql`${kind} in ('added', 'changed')`,
    sql`(field is null or field <> all(${[...hiddenFields]}::text[]))`,
  ]);
}

/** The id of the newest change; 0 without any. */
export const LAST_CHANGE = sql`(select coalesce(max(change_id), 0) from changes)`;

/** The condition that a change is news, which the first import of a source is not. */
export const IS_NEWS = sql`run_id not in (select run_id from import_runs where not is_news)`;

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
        where ${isShownBy(variant)}
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
          jsonb_agg(${
      changeWith(sql`old_value`, sql`new_value`)
    } order by ${ORDER}, change_id), '[]'
        ) as changes
      from piece
    `,
  );
}

/** More changes of one date than a drawing of them can show. */
const MAX_DATES = 200;

/** The last changes of the planned date of an item, oldest first. */
export function readDateChanges(connection: Connection, id: string): Promise<DateChange[]> {
  return connection.query(sql`
    select day::text as day, old_value, new_value
    from (
      select day, run_id, change_id, old_value, new_value
      from changes
      where release_item_id = ${id}::uuid and field = 'release_date'
      order by day desc, run_id desc, change_id desc
      limit ${MAX_DATES}
    ) as last_changes
    order by day, run_id, change_id
  `);
}

/** An item with what it went through on the day of its `last_modified`, oldest first. */
export type ItemWithChanges = ListedItem & { changes: DatedChange[] };

/** The last changes of an item that meet a condition, oldest first; null where there are none. */
function changesOfItem(condition: Sql): Sql {
  return sql`(
    select jsonb_agg(${changeUpTo(LISTED_VALUE)} order by run_id, change_id)
    from (
      select *, ${KINDS}
      from changes
      where changes.release_item_id = items.release_item_id and ${condition}
      order by run_id desc, change_id desc
      limit ${MAX_CHANGES_A_DAY}
    ) as last_changes
  )`;
}

function changesOfDay(day: Sql): Sql {
  return sql`coalesce(${changesOfItem(sql`day = ${day}`)}, '[]') as changes`;
}

/** Items with these ids, in the same order, each with its changes of a day, or of its last one. */
export function readChangesOfDay(
  connection: Connection,
  ids: readonly string[],
  day?: string,
): Promise<ItemWithChanges[]> {
  return connection.query(sql`
    select ${LISTED_ITEM}, ${
    changesOfDay(day === undefined ? sql`last_modified` : sql`${day}::date`)
  }
    from unnest(${ids}::uuid[]) with ordinality as wanted (release_item_id, place)
    join items using (release_item_id)
    order by place
  `);
}
