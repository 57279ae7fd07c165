import { FIELDS } from "../roadmap/item.ts";
import { noteWords } from "../roadmap/words/words_sql.ts";
import { type Connection, queryOne } from "../database/database.ts";
import type { ImportCounts } from "./import_runs_sql.ts";
import { type Sql, sql } from "../database/sql.ts";

/** How many items were added, changed and restored, and the last of them in the order of ids. */
export interface StoredDifferences extends Pick<ImportCounts, "added" | "changed" | "restored"> {
  /** Null: there was none. */
  last: string | null;
}

interface ComparisonOptions {
  asOf: string;
  /** The source's own day can move without a change, so it is not a change by itself. */
  lastModifiedIncludesComments: boolean;
  after: string | null;
  limit: number;
}

/**
 * Stores the next items of a run that differ from the stored ones, in the order of their ids, with
 * their changes.
 *
 * Every change moves `last_modified` forward, never back. An item is added on the day on which its
 * source says that it was created, else on the as-of day.
 */
export function storeDifferences(
  connection: Connection,
  runId: number,
  options: ComparisonOptions & { source: string },
): Promise<StoredDifferences> {
  return queryOne(
    connection,
    sql`
      with differing as materialized (
        ${selectDiffering(runId, options)}
      ),
      noted as (
        insert into changes (
          release_item_id, run_id, day, kind, field, old_value, new_value, fields, by_source,
          tone_before, tone_after
        )
        select release_item_id, ${runId}, day, kind, field, old_value, new_value, fields,
          case when kind = 'added' then is_dated end,
          case when field = 'release_status' then tone_before end,
          case when field = 'release_status' then tone_after end
        from differing
        cross join lateral (${CHANGES_OF_ONE}) as change
        order by release_item_id, place
      ),
      stored as (
        ${upsertDiffering(runId, options.source)}
        returning words
      ),
      noted_words as (
        ${noteWords(sql`stored`)}
      )
      select
        (count(*) filter (where outcome = 'added'))::int as added,
        (count(*) filter (where outcome = 'changed'))::int as changed,
        (count(*) filter (where outcome = 'restored'))::int as restored,
        max(release_item_id::text collate "C") as last
      from differing
    `,
  );
}

function selectDiffering(
  runId: number,
  { asOf, lastModifiedIncludesComments, after, limit }: ComparisonOptions,
): Sql {
  return sql`
    select
      incoming.release_item_id,
      case
        when items.release_item_id is null then 'added'
        when items.active then 'changed'
        else 'restored'
      end as outcome,
      ${lastModified(asOf)} as last_modified,
      case
        when items.release_item_id is null then coalesce(incoming.created, ${asOf}::date)
        else ${lastModified(asOf)}
      end as day,
      incoming.created is not null as is_dated,
      items.tone as tone_before, incoming.tone as tone_after,
      ${fieldsOf(sql`items`)} as stored,
      ${fieldsOf(sql`incoming`)} as given
    from incoming_items as incoming
    left join items on items.release_item_id = incoming.release_item_id
    where incoming.run_id = ${runId}
      and (${after}::uuid is null or incoming.release_item_id > ${after}::uuid)
      and ${differs(lastModifiedIncludesComments)}
    order by incoming.release_item_id
    limit ${limit}
  `;
}

/** The fields of a row whose changes are noted; the whole row would be read with its search text. */
function fieldsOf(row: Sql): Sql {
  return sql`
    jsonb_build_object(
      'feature_name', ${row}.feature_name, 'release_date', ${row}.release_date,
      'release_type', ${row}.release_type, 'release_status', ${row}.release_status,
      'product_id', ${row}.product_id, 'product_name', ${row}.product_name,
      'product_names', ${row}.product_names, 'tags', ${row}.tags,
      'feature_description', ${row}.feature_description,
      'blog_title', ${row}.blog_title, 'blog_url', ${row}.blog_url
    )
  `;
}

/** The source's own day if that moved forward, else the as-of day. */
function lastModified(asOf: string): Sql {
  return sql`
    case
      when items.release_item_id is null then coalesce(incoming.last_modified, ${asOf}::date)
      when incoming.last_modified > items.last_modified then incoming.last_modified
      else greatest(items.last_modified, ${asOf}::date)
    end
  `;
}

function upsertDiffering(runId: number, source: string): Sql {
  return sql`
    insert into items (
      release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, tone, tone_by, search_text,
      last_modified, active, source, created, product_names, tags
    )
    select
      release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, tone, tone_by, search_text,
      differing.last_modified, true, ${source}, created, product_names, tags
    from differing
    join incoming_items using (release_item_id)
    where run_id = ${runId}
    on conflict (release_item_id) do update set
      feature_name = excluded.feature_name,
      release_date = excluded.release_date,
      release_type = excluded.release_type,
      release_status = excluded.release_status,
      product_id = excluded.product_id,
      product_name = excluded.product_name,
      feature_description = excluded.feature_description,
      blog_title = excluded.blog_title,
      blog_url = excluded.blog_url,
      tone = excluded.tone,
      tone_by = excluded.tone_by,
      search_text = excluded.search_text,
      last_modified = excluded.last_modified,
      product_names = excluded.product_names,
      tags = excluded.tags,
      active = true,
      source = excluded.source
  `;
}

function differs(lastModifiedIncludesComments: boolean): Sql {
  return sql`(
    items.release_item_id is null
    or not items.active
    or (not ${lastModifiedIncludesComments} and incoming.last_modified > items.last_modified)
    or (
      incoming.feature_name, incoming.release_date, incoming.release_type,
      incoming.release_status, incoming.product_id, incoming.product_name,
      incoming.feature_description, incoming.blog_title, incoming.blog_url,
      incoming.product_names, incoming.tags
    ) is distinct from (
      items.feature_name, items.release_date, items.release_type,
      items.release_status, items.product_id, items.product_name,
      items.feature_description, items.blog_title, items.blog_url, items.product_names, items.tags
    )
  )`;
}

const hasSeveral = sql`(
  jsonb_array_length(stored -> 'product_names') > 1
  or jsonb_array_length(given -> 'product_names') > 1
)`;

/** For a differing item: whether it is new or restored, and each changed field, in order. */
const CHANGES_OF_ONE = sql`
  select
    0 as place, outcome as kind, null as field, null as old_value, null as new_value,
    case when outcome = 'added' then array(
      select field
      from ${fieldsInOrder()}
      where given ->> field is not null
        and case field
          when 'product_names' then jsonb_array_length(given -> field) > 1
          when 'tags' then given -> field <> '{}'
          else true
        end
      order by place
    ) end as fields
  where outcome in ('added', 'restored')
  union all
  select place, 'changed', field, stored ->> field, given ->> field, null
  from ${fieldsInOrder()}
  where outcome <> 'added' and stored ->> field is distinct from given ->> field
    -- One product that becomes another is a change of the first, as ever.
    and case field
      when 'product_name' then not ${hasSeveral}
      when 'product_names' then ${hasSeveral}
      else true
    end
`;

function fieldsInOrder(): Sql {
  return sql`unnest(${[...FIELDS]}::text[]) with ordinality as listed (field, place)`;
}
