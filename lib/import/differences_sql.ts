import { FIELDS } from "../roadmap/item.ts";
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
export interface ComparisonOptions {
  source: string;
  asOf: string;
  /** Nothing is stored but a sample that this import takes away, or nothing at all. */
  isFresh: boolean;
  /** A removed item is restored only if it always belonged to these sources; null: always. */
  restorable: readonly string[] | null;
  /** The source's own day can move without a change, so it is not a change by itself. */
  lastModifiedIncludesComments: boolean;
}

/** An item that belongs to another source, or belonged to it when it was removed. */
export interface ForeignItem {
  release_item_id: string;
  feature_name: string;
  owner: string;
  active: boolean;
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
  /** The first one that the source must not take. */
  foreign: ForeignItem | null;
  /** The first changes of stored items. */
  changes: PreviewedChange[];
}

/**
 * The items of a batch, which is a JSON array, as they would be stored: what was the first product of
 * a release stays the first, as long as it is one of them, and a post announces it where the source
 * names none.
 */
export function incomingItems(
  batch: Uint8Array,
  { announced, isFresh }: { announced: readonly Filling[]; isFresh: boolean },
): Sql {
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
    left join ${storedItems({ isFresh })} on items.release_item_id = item.release_item_id
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

/** The items that others are compared with, as `items`. */
export function storedItems({ isFresh }: Pick<ComparisonOptions, "isFresh">): Sql {
  return isFresh ? sql`(select * from items where false) as items` : sql`items`;
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
        (count(*) filter (where outcome is null and is_reread))::int as reread,
        (count(*) filter (where gets_created))::int as dated,
        (
          select jsonb_build_object(
            'release_item_id', items.release_item_id, 'feature_name', items.feature_name,
            'owner', owner, 'active', active
          )
          from incoming
          join ${storedItems(options)} on items.release_item_id = incoming.release_item_id
          cross join lateral (
            select items.source as owner
            where items.active and items.source <> ${options.source}
            union all
            select former.source
            from (
              select items.source
              union
              select source from item_versions
              where release_item_id = items.release_item_id
            ) as former
            where not items.active and not ${json(options.restorable)} ? former.source
            limit 1
          ) as owners
          order by items.release_item_id
          limit 1
        ) as foreign,
        coalesce((select jsonb_agg(to_jsonb(shown)) from shown), '[]') as changes
      from differing
    `,
  );
}

/** What this version makes of the same status and the same description. */
const isReread = sql`(
  items.release_item_id is not null
  and (incoming.tone, incoming.tone_by, incoming.feature_description) is distinct from
    (items.tone, items.tone_by, items.feature_description)
)`;

/** Its source says now on which day it was created. */
const getsCreated = sql`(
  items.release_item_id is not null and items.created is null and incoming.created is not null
)`;

/**
 * The items that are to be stored: those that differ, with what becomes of them, and without that
 * those which are only read in another way or get a day of creation.
 */
export function selectDiffering(options: ComparisonOptions): Sql {
  const { asOf, lastModifiedIncludesComments } = options;
  return sql`
    select
      incoming.release_item_id, incoming.feature_name,
      case
        when items.release_item_id is null then 'added'
        when ${differs(lastModifiedIncludesComments)} is not true then null
        when items.active then 'changed'
        else 'restored'
      end as outcome,
      ${lastModified(asOf)} as last_modified,
      case
        when items.release_item_id is null then coalesce(incoming.created, ${asOf}::date)
        else ${lastModified(asOf)}
      end as day,
      incoming.created is not null as is_dated,
      ${isReread} as is_reread, ${getsCreated} as gets_created,
      items.tone as tone_before, incoming.tone as tone_after,
      ${fieldsOf(sql`items`)} as stored,
      ${fieldsOf(sql`incoming`)} as given
    from incoming
    left join ${storedItems(options)} on items.release_item_id = incoming.release_item_id
    where ${differs(lastModifiedIncludesComments)} or ${isReread} or ${getsCreated}
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
export const CHANGES_OF_ONE = sql`
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
