import { listMissingMigrations } from "../database/migrate.ts";
import type { Inspected, Monitor } from "../database/monitor.ts";
import { type ImportRun, readAgeOfData, readRuns } from "./import_runs_sql.ts";

/** The last import, as far as it is known. */
export function inspectLastRun(monitor: Monitor): Promise<Inspected<ImportRun | null>> {
  return monitor.inspect("last import", async (connection) => {
    const [last] = await readRuns(connection, 1);
    return last ?? null;
  });
}

/** The migrations that are missing, and the age of the roadmap in seconds, as far as known. */
export function inspectReadiness(
  monitor: Monitor,
): Promise<Inspected<{ missing: string[]; age: number | null }>> {
  return monitor.inspect("readiness", async (connection) => ({
    missing: await listMissingMigrations(connection),
    age: await readAgeOfData(connection),
  }));
}
