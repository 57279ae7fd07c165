import type { Database } from "../database.ts";
import { keepClaim, LEASE_SECONDS } from "./keep_claim.ts";
import * as schedules from "./schedules_sql.ts";

/** After a failure the work is due again this soon. */
const RETRY_SECONDS = 60;

/**
 * Does work that is due at most once in an interval, by one process over all that share the
 * database; false if it is not due or another process is at it. The work gets a signal that is aborted
 * if another process takes it over.
 */
export async function doWhenDue(
  database: Database,
  { name, everySeconds }: { name: string; everySeconds: number },
  work: (lost: AbortSignal) => Promise<unknown>,
): Promise<boolean> {
  const holder = crypto.randomUUID();
  const claim = { holder, seconds: LEASE_SECONDS };
  await schedules.addSchedule(database, name);
  if (!await schedules.claimWork(database, name, { ...claim, maxPause: everySeconds })) {
    return false;
  }
  let seconds = RETRY_SECONDS;
  try {
    using kept = keepClaim(database, name, claim);
    await work(kept.lost);
    seconds = everySeconds;
    return true;
  } finally {
    await schedules.releaseWork(database, name, { holder, seconds, failures: 0 });
  }
}
