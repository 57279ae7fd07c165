import { listMissingMigrations } from "../database/migrate.ts";
import type { Inspected, Monitor } from "../database/monitor.ts";
import { isDatabaseEmpty } from "../roadmap/items_sql.ts";
import { type ImportRun, readAgeOfData, readRuns } from "./import_runs_sql.ts";

/** What to do where there is nothing to show. */
export const EMPTY_ROADMAP_HINT =
  "The roadmap is empty: import one with `deno task import FILE-OR-URL`, set ROADMAP_SOURCE, or start with --sample";

/** The last import, as far as it is known. */
export function inspectLastRun(monitor: Monitor): Promise<Inspected<ImportRun | null>> {
  return monitor.inspect("last import", async (connection) => {
    const [last] = await readRuns(connection, 1);
    return last ?? null;
  });
}

/** What is known of how ready a database is. */
export interface Readiness {
  /** Names of migrations. */
  missing: string[];
  /** Of the roadmap, in seconds; null: none was imported. */
  age: number | null;
  isEmpty: boolean;
}

/** The migrations that are missing, and how old and how empty the roadmap is, as far as known. */
export function inspectReadiness(
  monitor: Monitor,
): Promise<Inspected<Readiness>> {
  return monitor.inspect("readiness", async (connection) => ({
    missing: await listMissingMigrations(connection),
    age: await readAgeOfData(connection),
    isEmpty: await isDatabaseEmpty(connection),
  }));
}
