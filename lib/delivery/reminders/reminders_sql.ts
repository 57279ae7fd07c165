import { dayOf, type DigestTimes } from "../../text/cadence.ts";
import { daysBefore } from "../../text/dates.ts";
import { sortAlike } from "../../text/phrases.ts";
import { type Connection, type Database, queryOne } from "../../database/database.ts";
import { type Sql, sql } from "../../database/sql.ts";
import { LISTED_ITEM } from "../../roadmap/items_sql.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import { getsDigests, lockRuns } from "../digests/digests_sql.ts";
import { insertMessages } from "../outbox/messages_sql.ts";
import { findDueSlot, noteSlot, readSlot } from "../slots_sql.ts";

/** How many days before one of its dates a watched release sends a reminder. */
const REMINDER_DAYS = [1, 7, 30] as const;
/** How far ahead a sample looks. */
const SAMPLE_DAYS = 90;

/** Their name among what goes out at moments. */
const NAME = "reminders daily";

/**
 * Queues the reminders that are due, in one mail for each subscriber, and returns the number of
 * emails. Each is queued once over all processes; the nearest one makes up for what was missed.
 */
export function queueReminders(
  database: Pick<Database, "transaction">,
  { now, times, isByHand = false }: {
    now: Date;
    times: DigestTimes;
    /** They go out now, whatever the time is. */
    isByHand?: boolean;
  },
): Promise<number> {
  return database.transaction(async (connection) => {
    await lockRuns(connection);
    const due = isByHand
      ? { last: await readSlot(connection, NAME) ?? now, latest: now }
      : await findDueSlot(connection, NAME, { now, times });
    if (due === null) return 0;
    await noteSlot(connection, NAME, due.latest);
    const [after, upTo, today] = [due.last, due.latest, now].map((at) => dayOf(at, times.zone));
    return await queueFor(connection, { after: after!, upTo: upTo!, today: today!, now });
  });
}

/**
 * Queues a mail for each subscriber who watches releases whose reminders fell on the days after one,
 * up to another one, and on that in any case: of each day that a release has a date for
 * the nearest one, unless there was that one or a nearer one. Returns the number of mails.
 */
async function queueFor(
  connection: Connection,
  { after, upTo, today, now }: { after: string; upTo: string; today: string; now: Date },
): Promise<number> {
  const before = daysBefore(upTo, 1);
  const { queued } = await queryOne<{ queued: number }>(
    connection,
    sql`
      with due as (
        select release_item_id, planned_on, min(days_before)::int as days_before,
          array_agg(lower(date_name)) as names
        from items cross join ${PROMISES}
        cross join unnest(${[...REMINDER_DAYS]}::int[]) as days_before
        where ${isAhead(today)}
          and planned_on - days_before > ${after < before ? after : before}::date
          and planned_on - days_before <= ${upTo}::date
          -- What a version before did not read, nobody was to be reminded of.
          and (date_name is null or planned_on - days_before >= (
            select min(as_of) from import_runs where reads_dates
          ))
        group by release_item_id, planned_on
      ),
      wanted as materialized (
        select subscription_id, release_item_id, planned_on, days_before
        from subscriptions
        cross join unnest(releases) as release_item_id
        join due using (release_item_id)
        where ${wantsReminders(today)} and ${goesBy(sql`any(names)`)}
          and not exists (
            select from reminders as earlier
            where earlier.subscription_id = subscriptions.subscription_id
              and earlier.release_item_id = due.release_item_id
              and earlier.planned_on = due.planned_on
              and earlier.days_before <= due.days_before
          )
        for key share of subscriptions -- before what belongs to them, as everywhere
      ),
      mails as materialized (
        select subscription_id, gen_random_uuid() as mail_id
        from (select distinct subscription_id from wanted) as receivers
      ),
      queued as (
        ${
      insertMessages("mail", {
        columns: sql`mail_id, subscription_id, kind`,
        rows: sql`select mail_id, subscription_id, 'reminder' from mails`,
        now,
      })
    }
      ),
      noted as (
        insert into reminders (subscription_id, release_item_id, planned_on, days_before, mail_id)
        select subscription_id, release_item_id, planned_on, days_before, mail_id
        from wanted join mails using (subscription_id)
        on conflict (subscription_id, release_item_id, planned_on) do update
        set days_before = excluded.days_before, mail_id = excluded.mail_id
      )
      select count(*)::int as queued from mails
    `,
  );
  return queued;
}

/** A watched release with one of its dates as `release_date`, and the days left to it. */
export type RemindedItem = ListedItem & {
  days_left: number;
  /** Null: the release date itself. */
  date_name: string | null;
};

/** What a mail reminds of that is still so, and still wanted, the nearest first. */
export async function readReminded(
  connection: Connection,
  mailId: string,
  today: string,
): Promise<RemindedItem[]> {
  const items = await readAhead(connection, today, {
    from: sql`
      (
        select release_item_id as watched_id, planned_on as reminded_on, filter
        from reminders join subscriptions using (subscription_id)
        where mail_id = ${mailId}::uuid and ${wantsReminders(today)}
          and release_item_id = any(releases)
      ) as reminded
      join items on release_item_id = watched_id
    `,
    where: sql`planned_on = reminded_on and ${goesBy(sql`lower(date_name)`)}`,
  });
  return sortAlike(items, ({ release_date }) => release_date);
}

/** The release that a reminder would name first; null: none has a date soon. */
export async function readNextReminded(
  connection: Connection,
  today: string,
): Promise<RemindedItem | null> {
  const where = sql`planned_on <= ${daysBefore(today, -SAMPLE_DAYS)}::date`;
  const [item] = await readAhead(connection, today, { from: sql`items`, where, limit: 1 });
  return item ?? null;
}

/** The dates of releases that are still to come, the nearest first. */
async function readAhead(
  connection: Connection,
  today: string,
  { from, where, limit }: { from: Sql; where: Sql; limit?: number },
): Promise<RemindedItem[]> {
  const rows = await connection.query<RemindedItem & { day: string }>(sql`
    select ${LISTED_ITEM}, date_name, planned_on::text as day,
      planned_on - ${today}::date as days_left
    from ${from} cross join ${PROMISES}
    where ${isAhead(today)} and ${where}
    order by planned_on, lower(product_name) collate "C", lower(feature_name) collate "C",
      release_item_id, date_name collate "C" nulls first
    limit ${limit ?? null}::int
  `);
  return rows.map(({ day, ...item }) => ({ ...item, release_date: day }));
}

/** The dates of an item that hold: the release date until it has shipped, named ones after that, too. */
const PROMISES = sql`
  lateral (
    select null as date_name, release_date as planned_on where tone in ('planned', 'in_progress')
    union all
    select key, value::date from jsonb_each_text(dates) where tone <> 'stopped'
  ) as promise
`;

/** The condition that one of the dates of an item is a day or later. */
function isAhead(today: string): Sql {
  return sql`(active and planned_on >= ${today}::date)`;
}

function wantsReminders(today: string): Sql {
  return sql`${getsDigests(today)} and subscriptions.reminders`;
}

/** The condition that the filter of a subscription goes by any date, or by the one of these names. */
function goesBy(names: Sql): Sql {
  return sql`(filter -> 'date_name' is null or lower(filter #>> '{date_name,0}') = ${names})`;
}
