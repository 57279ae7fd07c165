import type { Connection } from "../../database/database.ts";
import { every, json, type Sql, sql } from "../../database/sql.ts";
import type { Variant } from "../variant.ts";
import { IS_NEWS } from "./changes_sql.ts";
import { kindsFor } from "./change_kinds_sql.ts";
import { CHANGE_KINDS, type ChangeKind } from "./kinds.ts";
import { type ChangesFilter, isEntryShown, markOf } from "./change_entries_sql.ts";

/** All that stands between a position and the last change that counts, and passes one filter. */
export interface AllEntries {
  database_id: string;
  /** The mark of the change at the position. */
  mark: number;
  /** The ids of the last changes of the heaviest ones, in their order. */
  entries: number[];
  /** How many entries there are in all, and of how many releases. */
  total: number;
  releases: number;
  /** Of how many, by the heaviest of what happened to them. */
  kinds: Partial<Record<ChangeKind, number>>;
}

/**
 * Finds all entries behind a position, up to a change, for each of these filters, in their order. They
 * are gone through once, however many filters there are. No value is read.
 */
export function findAllEntries(
  connection: Connection,
  { position, upTo, limit, filters, variant }: {
    position: number;
    /** The id of the last change that counts. */
    upTo: number;
    limit: number;
    /** Those with `among` let through only these items. */
    filters: readonly (ChangesFilter & { among?: readonly string[] })[];
    variant: Variant;
  },
): Promise<AllEntries[]> {
  return connection.query<AllEntries>(sql`
    with news as materialized (
      select entry_id, release_item_id, product_names, tags, release_type, release_status, items.source,
        ${kindsFor(variant)} as kinds,
        array_position(${[...CHANGE_KINDS]}::text[], (${kindsFor(variant)})[1]) as weight
      from change_entries
      join items using (release_item_id)
      where entry_id > ${position}::bigint and entry_id <= ${upTo}::bigint
        and ${IS_NEWS} and ${isEntryShown(variant)}
    )
    select
      (select database_id::text from service_state) as database_id,
      coalesce(${markOf(sql`${position}::bigint`)}, 0) as mark,
      array(
        select entry_id::float8
        from (
          select * from news where ${PASSES} order by weight, entry_id limit ${limit}
        ) as heaviest
        order by entry_id
      ) as entries,
      total, releases, kinds
    from jsonb_array_elements(${json(filters)})
      with ordinality as given (filter, place)
    cross join lateral (${COUNTS}) as counted
    order by place
  `);
}

/** The condition that a filter, `given`, has no such list, or one with the value. */
function passesList(name: keyof ChangesFilter | "among", value: Sql): Sql {
  return sql`coalesce(filter -> ${name}::text ? ${value}, true)`;
}

/** The condition that an entry, `news`, passes a filter, `given`. */
const PASSES = every([
  sql`coalesce(filter -> 'product_name' ?| news.product_names, true)`,
  sql`not exists (
    select from (
      select split_part(tag, ':', 1) as group_name,
        array_agg(substr(tag, strpos(tag, ':') + 1)) as members
      from jsonb_array_elements_text(filter -> 'tag') as tag
      group by 1
    ) as wanted
    where not coalesce(news.tags -> group_name ?| members, false)
  )`,
  passesList("release_type", sql`news.release_type`),
  passesList("release_status", sql`news.release_status`),
  passesList("source", sql`news.source`),
  passesList("among", sql`news.release_item_id::text`),
  sql`(filter -> 'kind' is null or filter -> 'kind' ?| news.kinds)`,
]);

/** How many entries pass, of how many releases, and what is the heaviest that happened to those. */
const COUNTS = sql`
  select coalesce(sum(entries), 0)::int as total, coalesce(sum(releases), 0)::int as releases,
    coalesce(
      jsonb_object_agg((${[...CHANGE_KINDS]}::text[])[weight], releases)
        filter (where weight is not null),
      '{}'
    ) as kinds
  from (
    select weight, sum(entries) as entries, count(*)::int as releases
    from (
      select min(weight) as weight, count(*) as entries
      from news
      where ${PASSES}
      group by release_item_id
    ) as changed
    group by weight
  ) as by_kind
`;
