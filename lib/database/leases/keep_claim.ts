import type { Database } from "../database.ts";
import { extendClaim } from "./schedules_sql.ts";

/** A process that does not extend its claim for this long has ended. */
export const LEASE_SECONDS = 60;

/** A claim that is extended until it is disposed of, which comes before its release. */
interface KeptClaim extends Disposable {
  /** Aborted if another process has taken the work over, as after a long outage of the database. */
  readonly lost: AbortSignal;
}

/** Keeps extending the claim to some work. */
export function keepClaim(
  database: Database,
  name: string,
  claim: { holder: string; seconds: number },
): KeptClaim {
  const losing = new AbortController();
  async function extend(): Promise<void> {
    // While the database is away nobody can take the claim over.
    const isExtended = await extendClaim(database, name, claim).catch(() => true);
    if (isExtended) return;
    clearInterval(timer);
    losing.abort(new Error("another process has taken over this work"));
  }
  const timer = setInterval(() => void extend(), claim.seconds * 1000 / 3);
  return { lost: losing.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
