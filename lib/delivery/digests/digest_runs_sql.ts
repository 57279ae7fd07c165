import {
  type DigestTimes,
  latestSlot,
  nextSlot,
  type ScheduledCadence,
} from "../../text/cadence.ts";
import type { Connection, Database } from "../../database/database.ts";
import { sql, timestamp } from "../../database/sql.ts";
import { readLastChange } from "./digests_sql.ts";

/** How far a cadence has come. */
interface RunState {
  slot: Date;
  changes_up_to: string | null;
}

/** What is to be done for a cadence now. */
interface RunStep {
  /** The moment that is to be stored as served. */
  slot: Date;
  /** Begin a run for everybody, go on with a run that never ended, or do nothing. */
  does: "begin" | "resume" | "nothing";
}

/**
 * What is due for a cadence: after the first start nothing before the next moment, and after an
 * outage one run for all moments that were missed. A stored moment further ahead than the next one
 * comes from a wrong clock, and counts as the last one.
 */
function planRun(
  cadence: ScheduledCadence,
  stored: RunState | null,
  { now, times }: { now: Date; times: DigestTimes },
): RunStep {
  const latest = latestSlot(cadence, now, times);
  if (stored === null) return { slot: latest, does: "nothing" };
  if (stored.changes_up_to !== null) return { slot: stored.slot, does: "resume" };
  if (stored.slot > nextSlot(cadence, now, times)) return { slot: latest, does: "nothing" };
  if (stored.slot < latest) return { slot: latest, does: "begin" };
  return { slot: stored.slot, does: "nothing" };
}

/** How far a cadence has come; null where it never began. */
async function readRun(
  connection: Connection,
  cadence: ScheduledCadence,
): Promise<RunState | null> {
  const [run] = await connection.query<{ slot: number; changes_up_to: string | null }>(sql`
    select (extract(epoch from slot) * 1000)::float8 as slot, changes_up_to::text as changes_up_to
    from digest_runs
    where cadence = ${cadence}
    for update
  `);
  return run ? { slot: new Date(run.slot), changes_up_to: run.changes_up_to } : null;
}

/**
 * Begins or resumes what is due for a cadence: the last change that it covers, null for
 * nothing.
 */
export function beginRun(
  database: Database,
  cadence: ScheduledCadence,
  due: { now: Date; times: DigestTimes },
): Promise<string | null> {
  return database.transaction(async (connection) => {
    const stored = await readRun(connection, cadence);
    const { slot, does } = planRun(cadence, stored, due);
    if (does === "resume") return stored!.changes_up_to;
    const upTo = does === "begin" ? (await readLastChange(connection))?.change_id ?? null : null;
    if (slot.getTime() !== stored?.slot.getTime()) {
      await connection.query(sql`
        insert into digest_runs (cadence, slot, changes_up_to)
        values (${cadence}, ${timestamp(slot)}, ${upTo}::bigint)
        on conflict (cadence) do update
        set slot = excluded.slot, changes_up_to = excluded.changes_up_to
      `);
    }
    return upTo;
  });
}

/** Records that a run has queued all digests. */
export async function finishDigestRun(
  connection: Connection,
  cadence: ScheduledCadence,
): Promise<void> {
  await connection.query(sql`
    update digest_runs set changes_up_to = null where cadence = ${cadence}
  `);
}
