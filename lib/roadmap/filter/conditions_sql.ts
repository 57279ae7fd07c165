import type { Connection } from "../../database/database.ts";
import { every, json, type Sql, sql } from "../../database/sql.ts";
import { type DueDays, dueDays, type DuePeriod, groupTags } from "./filter_values.ts";
import type { Variant } from "../variant.ts";
import { fold } from "../../text/match_words.ts";

/** The condition that a column holds one of some values; absent: any value will do. */
export function isOneOf(column: Sql, values: readonly string[] | undefined): Sql {
  if (values === undefined) return sql`true`;
  const [first, ...others] = values;
  return others.length === 0
    ? sql`${column} = ${first}`
    : sql`${column} = any(${[...values]}::text[])`;
}

/** The condition that an item has one of some products; none: any will do. */
export function hasProduct(names: readonly string[]): Sql {
  return names.length === 0 ? sql`true` : sql`product_names && ${[...names]}::text[]`;
}

/** The condition that an item has one of the tags of each group, such as `Platform:Web`. */
export function hasTags(tags: readonly string[]): Sql {
  return every(
    [...groupTags(tags)].map(([group, values]) => {
      // What an index of jsonb_path_ops finds.
      const each = values.map((value) => sql`tags @> ${json({ [group]: [value] })}`);
      return sql`(${each.reduce((all, one) => sql`${all} or ${one}`)})`;
    }),
  );
}

/**
 * The pattern of LIKE that finds a text as it stands, in any case: `%`, `_` and `\` are themselves.
 *
 * ```ts
 * if (likePattern("50 %") !== "%50 \\%%") throw new Error(likePattern("50 %"));
 * ```
 */
export function likePattern(text: string): string {
  return `%${fold(text).replace(/[\\%_]/g, "\\$&")}%`;
}

/** Neither shipped nor stopped. */
export const IS_OPEN = sql`tone in ('planned', 'in_progress')`;

/** What its status says is known: of any other, nobody can say whether it is late. */
export const HAS_KNOWN_STATUS = sql`tone_by <> 'unknown'`;

/** Planned for one of these days, and neither shipped nor stopped; what was due before is overdue. */
export function isDue({ from, to }: DueDays): Sql {
  return every([
    IS_OPEN,
    from === undefined ? HAS_KNOWN_STATUS : sql`true`,
    from === undefined ? sql`true` : sql`release_date >= ${from}::date`,
    sql`release_date <= ${to}::date`,
  ]);
}

/** What is overdue is asked of the release date, whatever named date stands for it. */
export function isDueBy(days: DueDays, dateName: string | undefined): Sql {
  if (dateName === undefined || days.from !== undefined) return isDue(days);
  return sql`release_item_id in (select release_item_id from item_rows where ${isDue(days)})`;
}

/** Due in one of some periods, counted from a day, `YYYY-MM-DD`; without periods, any will do. */
export function isDueWithin(
  periods: readonly DuePeriod[],
  today: string,
  dateName?: string,
): Sql {
  if (periods.length === 0) return sql`true`;
  const any = periods.map((period) => isDueBy(dueDays(period, today), dateName))
    .reduce((all, one) => sql`${all} or ${one}`);
  return sql`(${any})`;
}

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
