import type { Connection } from "../database/database.ts";
import { sql, timestamp } from "../database/sql.ts";
import { type DigestTimes, latestSlot, nextSlot, type ScheduledCadence } from "../text/cadence.ts";

/** What goes out at the moments of a cadence. */
type Scheduled = `${"digests" | "webhooks"} ${ScheduledCadence}` | "reminders daily";

/**
 * The moment that is to be served, once for all that were missed, and the one that was served last;
 * null: none. After the first start
 * nothing is due before the next moment, nor where one is stored that is further ahead than that:
 * a clock was wrong.
 */
export async function findDueSlot(
  connection: Connection,
  what: Scheduled,
  { now, times }: { now: Date; times: DigestTimes },
): Promise<{ latest: Date; last: Date } | null> {
  const cadence = what.slice(what.indexOf(" ") + 1) as ScheduledCadence;
  const latest = latestSlot(cadence, now, times);
  const last = await readSlot(connection, what);
  if (last !== null && last <= nextSlot(cadence, now, times)) {
    return last < latest ? { latest, last } : null;
  }
  await noteSlot(connection, what, latest);
  return null;
}

/** The moment that was served last; null: none was. */
export async function readSlot(connection: Connection, what: Scheduled): Promise<Date | null> {
  const [stored] = await connection.query<{ slot: number }>(sql`
    select (extract(epoch from slot) * 1000)::float8 as slot from slots where name = ${what}
  `);
  return stored ? new Date(stored.slot) : null;
}

/** Notes that a moment was served; false where another process has noted it. */
export async function noteSlot(
  connection: Connection,
  what: Scheduled,
  slot: Date,
): Promise<boolean> {
  const noted = await connection.query(sql`
    insert into slots (name, slot) values (${what}, ${timestamp(slot)})
    on conflict (name) do update set slot = excluded.slot where slots.slot <> excluded.slot
    returning 1
  `);
  return noted.length > 0;
}
