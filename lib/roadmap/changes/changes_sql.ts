import { literal, type Sql, sql } from "../../database/sql.ts";
import type { Variant } from "../variant.ts";

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

/** A change as a JSON object, with all of its values. */
export const WHOLE_CHANGE = changeWith(sql`old_value`, sql`new_value`);

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

/** The first characters of a text, and a sign where there are more; a long one is not read whole. */
export function shortened(text: Sql, length: number): Sql {
  const begin = sql`left(${text}, ${literal(length)})`;
  // An ASCII statement takes half the memory of one that holds the ellipsis itself.
  return sql`
    ${begin} || case when octet_length(${text}) > octet_length(${begin}) then ${ELLIPSIS} else '' end
  `;
}

const ELLIPSIS = sql`chr(8230)`;

/** The condition that a variant has the field of a change. */
export function isFieldShown({ hiddenFields }: Pick<Variant, "hiddenFields">): Sql {
  return sql`(field is null or field <> all(${[...hiddenFields]}::text[]))`;
}

/** The id of the newest change; 0 without any. */
export const LAST_CHANGE = sql`(select coalesce(max(change_id), 0) from changes)`;

/** The condition that a change is news, which the first import of a source is not. */
export const IS_NEWS = sql`run_id not in (select run_id from import_runs where not is_news)`;
