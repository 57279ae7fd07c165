import { type Cadence, CADENCES, dayOf } from "../../text/cadence.ts";
import type { Connection, Database } from "../../database/database.ts";
import { lockRuns, noteNotified, queueUpTo, readLastChange } from "./digests_sql.ts";

/** What became of a run of digests. */
interface DigestRun {
  /** Emails that cover more now; who has nothing new to read gets none. */
  queued: number;
  /** The newest day that is covered, `YYYY-MM-DD`; null where nothing was ever imported. */
  day: string | null;
}

/** Whom a run writes to. */
interface QueueOptions {
  now: Date;
  /** The time zone of its days. */
  zone: string;
  /** Absent: all. */
  cadences?: readonly Cadence[];
}

/**
 * Queues a mail for every verified subscriber who has not been sent everything that has changed. One
 * that waits already covers what changed since, too: what is in it is read when it is sent.
 */
export function queueDigests(database: Database, options: QueueOptions): Promise<DigestRun> {
  return database.transaction((connection) => queueWithin(connection, options));
}

/** Queues digests within a transaction that has begun. */
export async function queueWithin(
  connection: Connection,
  { now, zone, cadences = CADENCES, isAfterImport = false }: QueueOptions & {
    /** Only where something has changed since the last such run. */
    isAfterImport?: boolean;
  },
): Promise<DigestRun> {
  await lockRuns(connection);
  const last = await readLastChange(connection);
  if (last === null) return { queued: 0, day: null };
  const { change_id: upTo, day } = last;
  const hasNews = cadences.includes("immediate") && await noteNotified(connection, upTo);
  if (isAfterImport && !hasNews) return { queued: 0, day };
  const audience = { cadences, day: dayOf(now, zone), now };
  return { queued: await queueUpTo(connection, upTo, audience), day };
}

/**
 * Queues digests that go out right after an import, once for each that has changed something, and
 * returns their number. What was refused since goes with the next one.
 */
export async function queueImmediate(
  database: Database,
  options: Omit<QueueOptions, "cadences">,
): Promise<number> {
  const { queued } = await database.transaction((connection) =>
    queueWithin(connection, { ...options, cadences: ["immediate"], isAfterImport: true })
  );
  return queued;
}
