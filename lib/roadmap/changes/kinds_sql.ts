import type { Connection } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import type { Variant } from "../variant.ts";

/** The kinds of an entry, `change_entries`, as a variant shows them. */
export function kindsFor({ datePrecision }: Pick<Variant, "datePrecision">): Sql {
  return datePrecision === "day" ? sql`kinds_by_day` : sql`kinds_by_quarter`;
}

/** What fields changed, aggregated over changes of one release, each field once. */
export const CHANGED_FIELDS = sql`
  coalesce(bool_or(field = 'release_status'), false) as status_changed,
  coalesce(bool_or(field = 'release_date'), false) as date_changed,
  (max(old_value) filter (where field = 'release_date'))::date as date_before,
  (max(new_value) filter (where field = 'release_date'))::date as date_after,
  (max(old_value) filter (where field = 'dates'))::jsonb as dates_before,
  (max(new_value) filter (where field = 'dates'))::jsonb as dates_after,
  coalesce(
    bool_or(field not in ('release_status', 'release_date', 'dates')), false
  ) as others_changed,
  coalesce(
    bool_or(field not in ('release_status', 'release_date', 'dates', 'blog_title', 'blog_url')),
    false
  ) as shown_by_day_changed
`;

/**
 * The kinds of what `event`, `tone_before`, `tone_after` and `CHANGED_FIELDS` say.
 *
 * @param runId the import by whose day a named date is still to come
 */
export function kindsOf(precision: Variant["datePrecision"], runId: Sql): Sql {
  const isDay = precision === "day";
  const shown = (date: Sql) => isDay ? date : sql`date_trunc('quarter', ${date})::date`;
  return sql`
    change_kinds(
      event, tone_before, tone_after, status_changed,
      date_changed, ${shown(sql`date_before`)}, ${shown(sql`date_after`)},
      ${isDay ? sql`shown_by_day_changed` : sql`others_changed`},
      case when dates_before is distinct from dates_after then named_date_kinds(
        dates_before, dates_after, ${isDay ? sql`false` : sql`true`},
        (select as_of from import_runs where import_runs.run_id = ${runId})
      ) else '{}' end
    )
  `;
}

/** Corrects what entries say of releases whose statuses count as something else now. */
export async function correctEntries(connection: Connection, ids: readonly string[]) {
  await connection.query(sql`
    update change_entries
    set tone_before = right_one.tone_before, tone_after = right_one.tone_after,
      kinds_by_quarter = right_one.by_quarter, kinds_by_day = right_one.by_day
    from (
      ${entriesOf(sql`(select * from changes where release_item_id = any(${[...ids]}::uuid[]))`)}
    ) as right_one (
      entry_id, first_change, run_id, release_item_id, day, tone_before, tone_after, by_quarter, by_day
    )
    where change_entries.entry_id = right_one.entry_id
      and (change_entries.tone_before, change_entries.tone_after, kinds_by_quarter, kinds_by_day)
        is distinct from
        (right_one.tone_before, right_one.tone_after, right_one.by_quarter, right_one.by_day)
  `);
}

/** Of stored changes: what the next change of the status says of the time before it. */
const TONE_BEFORE_THE_NEXT = sql`(
  select later.tone_before from changes as later
  where later.release_item_id = entries.release_item_id
    and field = 'release_status' and change_id > last_change
  order by change_id
  limit 1
)`;

/**
 * What some changes did to their releases, a row for each import and release, in the columns of
 * `change_entries`. With `items`, the changes are the last ones of their releases, and these are as
 * they are afterwards.
 *
 * Without `offset 0` the planner would repeat these expressions wherever their results are used.
 */
export function entriesOf(changes: Sql, items?: Sql): Sql {
  return sql`
    select last_change, first_change, run_id, release_item_id, day, tone_before, tone_after,
      ${kindsOf("quarter", sql`entries.run_id`)}, ${kindsOf("day", sql`entries.run_id`)}
    from (
      select max(change_id) as last_change, min(change_id) as first_change,
        run_id, release_item_id, min(day) as day,
        max(kind) filter (where kind <> 'changed') as event,
        max(changes.tone_before) as old_tone, max(changes.tone_after) as new_tone,
        ${CHANGED_FIELDS}
      from ${changes} as changes
      group by run_id, release_item_id
    ) as entries
    join ${items ?? sql`items`} as items using (release_item_id)
    cross join lateral (
      select coalesce(new_tone, ${
    items ? sql`null` : TONE_BEFORE_THE_NEXT
  }, items.tone) as tone_after
      offset 0
    ) as afterwards
    cross join lateral (select coalesce(old_tone, tone_after) as tone_before offset 0) as earlier
  `;
}
