import type { Database } from "../database.ts";
import { extendClaim } from "./schedules_sql.ts";

/** A process that does not extend its claim for this long has ended. */
export const LEASE_SECONDS = 60;

/** Keeps extending the claim to some work; disposed of before the work is released. */
export function keepClaim(
  database: Database,
  name: string,
  claim: { holder: string; seconds: number },
): Disposable {
  const timer = setInterval(
    () => void extendClaim(database, name, claim).catch(() => {}),
    claim.seconds * 1000 / 3,
  );
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
