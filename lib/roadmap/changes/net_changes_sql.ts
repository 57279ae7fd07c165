import type { Connection } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import { CHANGED_FIELDS, kindsOf } from "./kinds_sql.ts";
import { sortAlike } from "../../text/phrases.ts";
import type { Change, ListedItem } from "../item.ts";
import { LISTED_ITEM } from "../items_sql.ts";
import type { Variant } from "../variant.ts";
import { changeUpTo, IS_NEWS } from "./changes_sql.ts";
import { CHANGE_KINDS, type ChangeKind, type KindCounts } from "./kinds.ts";

/** In its beginning a description has its first sentence. */
const DESCRIPTION_LENGTH = 1_000;

/** What became of a release, with the release as it is now. */
export type NetRelease = ListedItem & {
  /** `YYYY-MM-DD`, of the newest change. */
  day: string;
  description: string | null;
  /** Whether it came, went or came back first; then each field that differs, from its first value to its last. */
  changes: Change[];
  /** What all of that means together, the heaviest first; never empty. */
  kinds: ChangeKind[];
};

/** What became of the releases that changed between two moments. */
export interface NetChanges {
  /** The first ones: the heaviest first, then the newest day, then by product, name and id. */
  releases: NetRelease[];
  /** How many releases there are in all, and by the heaviest of what happened to them. */
  total: number;
  counts: KindCounts;
  /** The days of the first and the last change of all of them, `YYYY-MM-DD`; null: there are none. */
  days: { first: string; last: string } | null;
}

/** What a variant shows, and whether that includes releases that were removed. */
export type NetView = Pick<Variant, "datePrecision" | "hiddenFields" | "showsInactive">;

/** The order of `net` beside `items`. */
const HEAVIEST_FIRST = sql`
  array_position(${[...CHANGE_KINDS]}::text[], kinds[1]), newest_day desc,
  lower(product_name) collate "C", lower(feature_name) collate "C", release_item_id
`;

/** What became of a release, without its values: the kinds, the heaviest first, and the days of its changes. */
export interface NetOutcome {
  release_item_id: string;
  kinds: ChangeKind[];
  /** `YYYY-MM-DD` */
  first_day: string;
  newest_day: string;
}

/** The changes after one of them, up to another, by their ids, and the variant that shows them. */
interface NetPeriod {
  after: string;
  upTo: string;
  view: NetView;
}

/** What became of every release in a period, in the order of `readNetChanges`. */
export function listNetOutcomes(
  connection: Connection,
  period: NetPeriod,
): Promise<NetOutcome[]> {
  return connection.query(sql`
    with ${netBetween(period)}
    select release_item_id, kinds, first_day::text as first_day, newest_day::text as newest_day
    from net join items using (release_item_id)
    order by ${HEAVIEST_FIRST}
  `);
}

/** The condition that a change is news and happened after one change, up to another. */
export function isBetween({ after, upTo }: Pick<NetPeriod, "after" | "upTo">): Sql {
  return every([sql`change_id > ${after}::bigint and change_id <= ${upTo}::bigint`, IS_NEWS]);
}

/** Named queries, of which the last is `net`: what became of some releases in a period. */
function netBetween(
  { view, isCovered = sql`true`, ...period }: NetPeriod & { isCovered?: Sql },
): Sql {
  return sql`
    touched as materialized (
      select distinct release_item_id from changes where ${isBetween(period)}
    ),
    covered as materialized (
      select release_item_id from items
      where release_item_id in (select release_item_id from touched)
        and ${view.showsInactive ? sql`true` : sql`active`} and ${isCovered}
    ),
    ${
    netChanges(
      sql`
        select change_id, release_item_id, run_id, day, kind, field
        from changes join covered using (release_item_id)
        where ${isBetween(period)}
      `,
      view,
    )
  }
  `;
}

/**
 * Reads what became of releases after one change, up to another: first everything is joined, then
 * asked for its kinds, then counted, then limited.
 */
export async function readNetChanges(
  connection: Connection,
  { after, upTo, isCovered, kinds, view, limit, textLength }: NetPeriod & {
    /** The condition that a release, `items`, counts; absent: all do. */
    isCovered?: Sql;
    /** Absent: of any kind. */
    kinds?: readonly ChangeKind[];
    limit: number;
    /** A longer value is shortened to so many characters. */
    textLength: number;
  },
): Promise<NetChanges> {
  const rows = await connection.query<NetRelease & Omit<NetChanges, "releases">>(sql`
    with ${netBetween({ after, upTo, view, ...isCovered && { isCovered } })},
    wanted as materialized (
      select * from net where ${kinds ? sql`kinds && ${[...kinds]}::text[]` : sql`true`}
    ),
    listed as (
      select wanted.*, row_number() over (order by ${HEAVIEST_FIRST}) as place
      from wanted join items using (release_item_id)
      order by place
      limit ${limit}
    )
    select ${LISTED_ITEM}, newest_day::text as day,
      left(feature_description, ${DESCRIPTION_LENGTH}) as description,
      ${netValues(sql`listed`, textLength)} as changes, kinds,
      (select count(*)::int from wanted) as total,
      (
        select jsonb_object_agg(kind, count)
        from (select kinds[1] as kind, count(*)::int as count from wanted group by 1) as counted
      ) as counts,
      (
        select jsonb_build_object('first', min(first_day), 'last', max(newest_day)) from wanted
      ) as days
    from listed join items using (release_item_id)
    order by place
  `);
  const [first] = rows;
  return {
    releases: sortAlike(
      rows.map(({ total: _, counts: _counts, days: _days, ...release }) => release),
      ({ kinds, day }) => `${kinds[0]} ${day}`,
    ),
    total: first?.total ?? 0,
    counts: first?.counts ?? {},
    days: first?.days ?? null,
  };
}

/**
 * What became of each release by some of its changes, as the last one, `net`, of some named queries:
 * its `event`, its `kinds` and the days of its changes. Releases to which all of it together did
 * nothing that is shown are not in it.
 *
 * @param included these changes: `change_id`, `release_item_id`, `run_id`, `day`, `kind`, `field`
 */
export function netChanges(
  included: Sql,
  { datePrecision, hiddenFields, showsInactive }: NetView,
): Sql {
  return sql`
    included as materialized (${included}),
    joined as (
      select release_item_id, min(day) as first_day, max(day) as newest_day,
        (array_agg(run_id order by change_id))[1] as first_run,
        (array_agg(run_id order by change_id desc))[1] as last_run,
        (array_agg(kind order by change_id) filter (where kind <> 'changed'))[1] as first_event,
        (array_agg(kind order by change_id desc) filter (where kind <> 'changed'))[1] as last_event,
        min(change_id) filter (where kind = 'added') as addition,
        max(change_id) filter (where kind <> 'changed') as last_event_change
      from included
      group by release_item_id
    ),
    outcomes as (
      select *,
        case
          when last_event = 'removed' or first_event = 'restored' then
            ${showsInactive ? sql`last_event` : sql`null`}
          -- Else it was removed and restored, or nothing of this happened to it.
          when first_event = 'added' then 'added'
        end as event,
        coalesce(addition, last_event_change) as event_change
      from joined
      -- It came and went, or came back and went again.
      where (first_event <> 'removed' and last_event = 'removed') is not true
    ),
    differing as materialized (
      select spans.*, oldest.old_value, newest.new_value
      from (
        select release_item_id, field, min(change_id) as oldest_id, max(change_id) as newest_id
        from included
        where kind = 'changed' and field <> all(${[...hiddenFields]}::text[])
        group by release_item_id, field
      ) as spans
      join changes as oldest on oldest.change_id = oldest_id
      join changes as newest on newest.change_id = newest_id
      where oldest_id = newest_id or oldest.old_value is distinct from newest.new_value
    ),
    net as (
      select release_item_id, first_day, newest_day, event, event_change, kinds
      from (
        select outcomes.release_item_id, first_run, last_run, first_day, newest_day, event,
          event_change, ${CHANGED_FIELDS}
        from outcomes
        left join differing on differing.release_item_id = outcomes.release_item_id
        group by outcomes.release_item_id, first_run, last_run, first_day, newest_day, event,
          event_change
      ) as outcome
      cross join lateral (
        select
          -- Without another status nothing was shipped: its words count as something else now.
          case when status_changed then first_entry.tone_before else last_entry.tone_after end as tone_before,
          last_entry.tone_after
        from change_entries as first_entry, change_entries as last_entry
        where first_entry.run_id = first_run and first_entry.release_item_id = outcome.release_item_id
          and last_entry.run_id = last_run and last_entry.release_item_id = outcome.release_item_id
        offset 0
      ) as tones
      cross join lateral (select ${
    kindsOf(datePrecision, sql`first_run`)
  } as kinds offset 0) as meaning
      where cardinality(kinds) > 0
    )
  `;
}

/** The changes of a row of `net`, which may have another name, as JSON. */
export function netValues(net: Sql, textLength: number): Sql {
  return sql`(
    select coalesce(
      jsonb_agg(${changeUpTo(textLength)} order by field is not null, change_id), '[]'
    )
    from (
      select newest.change_id, newest.kind, newest.field, oldest.old_value, newest.new_value,
        newest.fields, newest.day, newest.run_id, null as kinds, newest.by_source
      from (
        select ${net}.event_change as oldest_id, ${net}.event_change as newest_id
        where ${net}.event is not null
        union all
        -- What became of a new release meanwhile is what it is now.
        select oldest_id, newest_id from differing
        where differing.release_item_id = ${net}.release_item_id
          and ${net}.event is distinct from 'added'
      ) as spans
      join changes as oldest on oldest.change_id = oldest_id
      join changes as newest on newest.change_id = newest_id
    ) as net_changes
  )`;
}
