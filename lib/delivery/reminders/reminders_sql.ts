import { dayOf, type DigestTimes, latestSlot } from "../../text/cadence.ts";
import { daysBefore } from "../../text/dates.ts";
import { ADVISORY_LOCKS } from "../../database/advisory_locks.ts";
import { type Connection, queryOne } from "../../database/database.ts";
import { every, type Sql, sql } from "../../database/sql.ts";
import { LISTED_ITEM } from "../../roadmap/items_sql.ts";
import type { ListedItem } from "../../roadmap/item.ts";
import { insertMessages } from "../outbox/messages_sql.ts";

/** How many days before its planned day a watched release sends a reminder. */
const REMINDER_DAYS = [1, 7, 30] as const;

/** The days whose reminders are to be queued: those after one, up to another one, `YYYY-MM-DD`. */
interface ReminderDays {
  after: string;
  upTo: string;
}

/**
 * The days to make up for, given the last day whose reminders were queued (null: there is none), and
 * when reminders go out; by hand, now. A first start queues nothing; a stored day that is
 * still to come was stored by a clock that was wrong. Null: nothing is due.
 *
 * ```ts
 * const times = { minute: 420, weekday: 1, zone: "UTC" };
 * const plan = (last: string | null, now: string) =>
 *   JSON.stringify(planReminders(last, { now: new Date(now), times, isByHand: false }));
 * const due = '{"after":"2026-07-19","upTo":"2026-07-20"}';
 * if (plan("2026-07-19", "2026-07-20T07:00:00Z") !== due) throw new Error();
 * if (plan("2026-07-19", "2026-07-20T06:59:00Z") !== "null") throw new Error();
 * if (plan("2026-09-19", "2026-07-20T07:00:00Z") !== due) throw new Error();
 * ```
 */
export function planReminders(
  last: string | null,
  { now, times, isByHand }: { now: Date; times: DigestTimes; isByHand: boolean },
): ReminderDays | null {
  const today = dayOf(now, times.zone);
  const upTo = isByHand ? today : dayOf(latestSlot("daily", now, times), times.zone);
  const before = daysBefore(upTo, 1);
  if (!isByHand) {
    if (last === null) return { after: upTo, upTo };
    if (last === upTo || last === today) return null;
  }
  // By hand, what became due since this morning is queued as well.
  return { after: last !== null && last < before ? last : before, upTo };
}

/** Keeps all who queue away until the transaction ends; returns the last day that was queued. */
export async function lockRun(connection: Connection): Promise<string | null> {
  await connection.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.digests})`);
  const [run] = await connection.query<{ day: string }>(sql`
    select day::text as day from reminder_runs
  `);
  return run?.day ?? null;
}

/** Notes the last day whose reminders were queued. */
export async function noteRun(connection: Connection, day: string): Promise<void> {
  await connection.query(sql`
    insert into reminder_runs (day) values (${day}::date)
    on conflict (only_row) do update set day = excluded.day
  `);
}

/**
 * Queues a mail for each subscriber who watches releases whose reminders fell on some days: of each
 * release the nearest one, unless there was that one or a nearer one. Returns the number of mails.
 */
export async function queueMails(
  connection: Connection,
  { days: { after, upTo }, today, now }: { days: ReminderDays; today: string; now: Date },
): Promise<number> {
  const { queued } = await queryOne<{ queued: number }>(
    connection,
    sql`
      with due as (
        select release_item_id, release_date as planned_on, min(days_before)::int as days_before
        from items cross join unnest(${[...REMINDER_DAYS]}::int[]) as days_before
        where ${isAhead(today)}
          and release_date - days_before > ${after}::date
          and release_date - days_before <= ${upTo}::date
        group by release_item_id, release_date
      ),
      wanted as materialized (
        select subscription_id, release_item_id, planned_on, days_before
        from subscriptions
        cross join unnest(releases) as release_item_id
        join due using (release_item_id)
        where ${wantsReminders(today)}
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

/** A watched release with the days left to its planned one. */
export type RemindedItem = ListedItem & { days_left: number };

/** What a mail reminds of that is still so, and still wanted, the nearest first. */
export function readReminded(
  connection: Connection,
  mailId: string,
  today: string,
): Promise<RemindedItem[]> {
  return connection.query(sql`
    select ${LISTED_ITEM}, items.release_date - ${today}::date as days_left
    from (
      select release_item_id as watched_id, planned_on
      from reminders join subscriptions using (subscription_id)
      where mail_id = ${mailId}::uuid and ${wantsReminders(today)}
        and release_item_id = any(releases)
    ) as reminded
    join items on release_item_id = watched_id and release_date = planned_on
    where ${isAhead(today)}
    order by items.release_date, lower(product_name) collate "C", lower(feature_name) collate "C",
      release_item_id
  `);
}

/** The condition that an item is planned for a day or later, and neither shipped nor stopped. */
function isAhead(today: string): Sql {
  return sql`(active and tone in ('planned', 'in_progress') and release_date >= ${today}::date)`;
}

function wantsReminders(today: string): Sql {
  return every([
    sql`subscriptions.state = 'verified' and subscriptions.reminders`,
    sql`(paused_until is null or paused_until <= ${today}::date)`,
  ]);
}
