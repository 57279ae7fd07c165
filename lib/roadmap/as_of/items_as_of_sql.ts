import type { Connection } from "../../database/database.ts";
import { Sql, sql } from "../../database/sql.ts";
import { FIELD_BOUNDARY } from "../../text/fold.ts";
import { ITEM_BYTES } from "../items_sql.ts";

/**
 * The items as they were known at the end of a day, in the columns of `items`: those of today, with
 * the changes undone that later imports made. With ids, only those, whose changes an index finds.
 */
export function itemsAsOf(day: string, ids?: readonly string[]): Sql {
  const isWanted = ids ? sql`release_item_id = any(${[...ids]}::uuid[])` : sql`true`;
  return sql`
    with later_runs as materialized (
      select run_id from import_runs where as_of > ${day}::date
    ),
    later as (
      select release_item_id, coalesce(field, 'active') as field, kind = 'added' as is_added,
        case kind when 'removed' then 'true' when 'restored' then 'false' else old_value end
          as old_value,
        change_id
      from changes
      where run_id in (select run_id from later_runs) and ${isWanted}
      union all
      ${PRODUCT_CHANGES} and ${isWanted}
      union all
      select release_item_id, 'tone', false, tone_before, entry_id
      from change_entries
      where run_id in (select run_id from later_runs) and ${isWanted}
    ),
    undone as (
      select release_item_id, bool_or(is_added) as is_added,
        -- Of several values of a field, the last one stays: that of the earliest change.
        jsonb_object_agg(field, old_value order by change_id desc) as fields
      from later
      group by release_item_id
    )
    select items.release_item_id, source, created, ${changed("feature_name")},
      ${changed("release_date", sql`date`)}, ${changed("release_type")},
      ${changed("release_status")}, ${changed("product_id", sql`uuid`)},
      ${changed("product_name")},
      case when fields ? 'product_names' then ${PRODUCTS} else items.product_names end
        as product_names,
      ${changed("tags", sql`jsonb`)}, ${changed("feature_description")}, ${changed("blog_title")},
      ${changed("blog_url")}, ${changed("active", sql`boolean`)}, ${changed("tone")},
      case
        when fields is null and items.last_modified <= ${day}::date then items.last_modified
        else coalesce(last_before.day, items.last_modified)
      end as last_modified,
      case when fields is null then items.search_text else ${SEARCH_TEXT} end as search_text,
      case when fields is null then items.words else words_of(${SEARCH_TEXT}, ${TAGS}) end
        as words,
      case when fields is null then items.title_words else title_words_of(${SEARCH_TEXT}) end
        as title_words
    from items
    left join undone using (release_item_id)
    left join (
      select release_item_id, max(day) as day
      from changes
      where run_id not in (select run_id from later_runs) and ${isWanted}
      group by release_item_id
    ) as last_before using (release_item_id)
    where is_added is not true
  `;
}

/**
 * A column of `items` as it was. Columns on their own, instead of whole rows, so that a statement
 * computes only those that it reads.
 */
function changed(column: string, type = sql`text`): Sql {
  const name = new Sql([column], []);
  return sql`
    case when fields ? ${column} then (fields ->> ${column})::${type} else items.${name} end as ${name}
  `;
}

/** The first product and the list of all change together; one of them is stored. */
const PRODUCT_CHANGES = sql`
  select release_item_id,
    case field when 'product_name' then 'product_names' else 'product_name' end, false,
    case field
      when 'product_name' then jsonb_build_array(old_value)::text
      else old_value::jsonb->>0
    end,
    change_id
  from changes
  where run_id in (select run_id from later_runs)
    and field in ('product_name', 'product_names')
`;

/** What the products and tags were. */
const PRODUCTS = sql`array(select jsonb_array_elements_text((fields ->> 'product_names')::jsonb))`;
const TAGS = sql`case when fields ? 'tags' then (fields ->> 'tags')::jsonb else items.tags end`;

/** The folded text of the parts; one that has not changed is folded already. */
const SEARCH_TEXT = sql`concat_ws(
  ${FIELD_BOUNDARY}, ${foldedPart("feature_name", 1)}, ${foldedPart("feature_description", 2)},
  ${foldedPart("product_names", 3, sql`array_to_string(${PRODUCTS}, E'\n')`)}
)`;

function foldedPart(name: string, place: number, text = sql`fields ->> ${name}`): Sql {
  return sql`
    case when fields ? ${name}
      then lower(normalize(coalesce(${text}, '')))
      else split_part(items.search_text, ${FIELD_BOUNDARY}, ${place}::int)
    end
  `;
}

/** A connection whose statements find the items of a day, or some, where they name `items`. */
export function connectAsOf(
  database: Connection,
  day: string,
  ids?: readonly string[],
): Connection {
  return {
    // A statement may have a `with` of its own, of which there can be only one at a level.
    query: (statement) =>
      database.query(sql`
        -- Read twice, it is computed twice, but of each item only what is read: its words take long.
        with items as not materialized (${itemsAsOf(day, ids)})
        select * from (${statement}) as answer
      `),
    script: () => Promise.reject(new Error("The past is only read")),
  };
}

/**
 * What the texts of the largest items took at most by the end of a day, in bytes, the largest first:
 * what they take today, and all that later imports replaced.
 */
export async function readLargestAsOf(
  connection: Connection,
  day: string,
  limit: number,
): Promise<number[]> {
  const rows = await connection.query<{ bytes: number }>(sql`
    select ${ITEM_BYTES} + coalesce(replaced, 0) as bytes
    from items
    left join (
      select release_item_id, sum(octet_length(old_value))::int as replaced
      from changes
      where run_id in (select run_id from import_runs where as_of > ${day}::date)
      group by release_item_id
    ) as later using (release_item_id)
    order by bytes desc
    limit ${limit}
  `);
  return rows.map(({ bytes }) => bytes);
}

/** The as-of day of the first import that succeeded, `YYYY-MM-DD`; null: there was none. */
export async function readFirstDay(connection: Connection): Promise<string | null> {
  const [row] = await connection.query<{ day: string | null }>(sql`
    select min(as_of)::text as day
    from import_runs
    where finished_at is not null and error is null
  `);
  return row?.day ?? null;
}
