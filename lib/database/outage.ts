import { getLogger } from "@logtape/logtape";
import { LastFailure } from "../work/last_failure.ts";
import { DatabaseAway } from "./database.ts";

const log = getLogger(["roadcast", "jobs"]);

const lastOutage = new LastFailure();

/**
 * Logs that the database is away, which everything that needs it notices: when that begins, and once
 * an hour until `noteOutageEnd`.
 */
export function noteOutage(outage: DatabaseAway, now?: number): void {
  // How it shows differs from one job to the next.
  if (lastOutage.isNews("away", now)) log.error("{error}", { error: outage.message });
}

/** Records that the database answers. */
export function noteOutageEnd(): void {
  if (lastOutage.end()) log.info("The database is back");
}
