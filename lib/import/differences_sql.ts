import { FIELDS } from "../roadmap/item.ts";
import { noteWords } from "../roadmap/words/words_sql.ts";
import { type Connection, queryOne } from "../database/database.ts";
import { json, type Sql, sql } from "../database/sql.ts";
import type { Filling } from "./announcements/announcements_sql.ts";

/** What an import would do to one item that is stored, or one of its fields. */
export interface PreviewedChange {
  kind: "changed" | "removed" | "restored";
  release_item_id: string;
  feature_name: string;
  /** Of a change: the field, and its old and new value as text. */
  field: string | null;
  old_value: string | null;
  new_value: string | null;
}

/** How items of a source are compared with the stored ones. */
interface ComparisonOptions {
  source: string;
  asOf: string;
  /** The source's own day can move without a change, so it is not a change by itself. */
  lastModifiedIncludesComments: boolean;
}

/** What storing some items would do. */
interface Comparison {
  added: number;
  changed: number;
  restored: number;
  /** How many are read in another way, though their source is the same. */
  reread: number;
  /** How many get a day of creation. */
  dated: number;
  /** The first active one that belongs to another source. */
  foreign: { release_item_id: string; feature_name: string; owner: string } | null;
  /** The first changes of stored items. */
  changes: PreviewedChange[];
}

/**
 * The items of a batch, which is a JSON array, as they would be stored: what was the first product of
 * a release stays the first, as long as it is one of them, and a post announces it where the source
 * names none.
 */
export function incomingItems(batch: Uint8Array, announced: readonly Filling[] = []): Sql {
  return sql`
    select
      item.release_item_id, item.feature_name, item.release_date, item.release_type,
      item.release_status, item.product_id,
      case when keeps then items.product_name else item.product_name end as product_name,
      case
        when keeps then array[items.product_name] || array(
          select name from unnest(item.product_names) as name
          where name <> items.product_name
          order by name collate "C"
        )
        else item.product_names
      end as product_names,
      item.feature_description,
      case when is_announced then post.blog_title else item.blog_title end as blog_title,
      case when is_announced then post.blog_url else item.blog_url end as blog_url,
      item.last_modified, item.tone, item.tone_by, item.search_text, item.created, item.tags
    from jsonb_to_recordset(${new TextDecoder().decode(batch)}::text::jsonb) as item (
      release_item_id uuid, feature_name text, release_date date, release_type text,
      release_status text, product_id uuid, product_name text, feature_description text,
      blog_title text, blog_url text, last_modified date, tone text, tone_by text, search_text text,
      created date, product_names text[], tags jsonb
    )
    left join items on items.release_item_id = item.release_item_id
    left join jsonb_to_recordset(${json(announced)}) as post (
      release_item_id uuid, blog_title text, blog_url text
    ) on post.release_item_id = item.release_item_id
    cross join lateral (
      select
        coalesce(
          items.product_name <> item.product_name and items.product_name = any(item.product_names),
          false
        ) as keeps,
        post.blog_url is not null and item.blog_url is null and item.blog_title is null
          as is_announced
    ) as rules
  `;
}

/** Compares items with the stored ones, and writes nothing. */
export function compareItems(
  connection: Connection,
  incoming: Sql,
  { shownChanges, ...options }: ComparisonOptions & { shownChanges: number },
): Promise<Comparison> {
  return queryOne(
    connection,
    sql`
      with incoming as materialized (${incoming}),
      differing as materialized (${selectDiffering(options)}),
      known as (
        select incoming.release_item_id, incoming.created,
          items.feature_name, items.source, items.active, items.created as stored_created,
          ${isReread} as is_reread
        from incoming
        join items on items.release_item_id = incoming.release_item_id
      ),
      shown as (
        select kind, release_item_id, feature_name, field, old_value, new_value
        from differing
        cross join lateral (${CHANGES_OF_ONE}) as change
        where outcome <> 'added'
        order by release_item_id, place
        limit ${Math.max(0, shownChanges)}
      )
      select
        (count(*) filter (where outcome = 'added'))::int as added,
        (count(*) filter (where outcome = 'changed'))::int as changed,
        (count(*) filter (where outcome = 'restored'))::int as restored,
        (
          select count(*)::int from known
          where is_reread and release_item_id not in (select release_item_id from differing)
        ) as reread,
        (
          select count(*)::int from known where stored_created is null and created is not null
        ) as dated,
        (
          select jsonb_build_object(
            'release_item_id', release_item_id, 'feature_name', feature_name, 'owner', source
          )
          from known
          where active and source <> ${options.source}
          order by release_item_id
          limit 1
        ) as foreign,
        coalesce((select jsonb_agg(to_jsonb(shown)) from shown), '[]') as changes
      from differing
    `,
  );
}

/**
 * Stores the items that differ from the stored ones, with their changes, and counts them.
 *
 * Every change moves `last_modified` forward, never back. An item is added on the day on which its
 * source says that it was created, else on the as-of day.
 */
export async function storeDifferences(
  connection: Connection,
  runId: number,
  incoming: Sql,
  options: ComparisonOptions,
): Promise<number> {
  const { stored } = await queryOne<{ stored: number }>(
    connection,
    sql`
      with incoming as materialized (${incoming}),
      differing as materialized (${selectDiffering(options)}),
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
        ${upsertDiffering(options.source)}
        returning words
      ),
      noted_words as (
        ${noteWords(sql`stored`)}
      )
      select count(*)::int as stored from differing
    `,
  );
  return stored;
}

/** What this version makes of the same status and the same description. */
const isReread = sql`(
  (incoming.tone, incoming.tone_by, incoming.feature_description) is distinct from
    (items.tone, items.tone_by, items.feature_description)
)`;

/** Follows how statuses and descriptions are read now, where their source says nothing else. */
export async function rereadItems(connection: Connection, incoming: Sql): Promise<void> {
  await connection.query(sql`
    update items
    set tone = incoming.tone, tone_by = incoming.tone_by,
      feature_description = incoming.feature_description, search_text = incoming.search_text
    from (${incoming}) as incoming
    where incoming.release_item_id = items.release_item_id and ${isReread}
  `);
}

/** Dates items by the day on which their source says now that they were created. */
export async function noteCreated(connection: Connection, incoming: Sql): Promise<void> {
  await connection.query(sql`
    with dated as (
      update items set created = incoming.created
      from (${incoming}) as incoming
      where incoming.release_item_id = items.release_item_id
        and items.created is null and incoming.created is not null
      returning items.release_item_id, items.created
    ), noted as (
      update changes set day = created, by_source = true
      from dated
      where changes.release_item_id = dated.release_item_id and kind = 'added' and day > created
      returning change_id, created
    )
    update change_entries set day = created from noted where entry_id = change_id
  `);
}

function selectDiffering({ asOf, lastModifiedIncludesComments }: ComparisonOptions): Sql {
  return sql`
    select
      incoming.release_item_id, incoming.feature_name,
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
    from incoming
    left join items on items.release_item_id = incoming.release_item_id
    where ${differs(lastModifiedIncludesComments)}
    order by incoming.release_item_id
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

function upsertDiffering(source: string): Sql {
  return sql`
    insert into items (
      release_item_id, feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, tone, tone_by, search_text,
      last_modified, active, source, created, product_names, tags
    )
    select
      release_item_id, incoming.feature_name, release_date, release_type, release_status, product_id,
      product_name, feature_description, blog_title, blog_url, tone, tone_by, search_text,
      differing.last_modified, true, ${source}, created, product_names, tags
    from differing
    join incoming using (release_item_id)
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
      incoming.blog_title, incoming.blog_url, incoming.product_names, incoming.tags
    ) is distinct from (
      items.feature_name, items.release_date, items.release_type,
      items.release_status, items.product_id, items.product_name,
      items.blog_title, items.blog_url, items.product_names, items.tags
    )
    or (
      incoming.feature_description is distinct from items.feature_description
      and unmarked(incoming.feature_description) is distinct from
        unmarked(items.feature_description)
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
      when 'feature_description' then
        unmarked(stored ->> field) is distinct from unmarked(given ->> field)
      else true
    end
`;

function fieldsInOrder(): Sql {
  return sql`unnest(${[...FIELDS]}::text[]) with ordinality as listed (field, place)`;
}
