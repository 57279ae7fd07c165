import { compareMigrations } from "../../database/migrate.ts";
import type { Inspected, Monitor } from "../../database/monitor.ts";
import { isDatabaseEmpty } from "../../roadmap/items_sql.ts";
import type { ConfiguredSource } from "./configured_source.ts";
import { type ImportRun, readAges, readLastRuns, readRuns } from "../import_runs_sql.ts";

/** What to do about an empty roadmap where sources are configured. */
export const NO_IMPORT_HINT =
  "The roadmap is empty: no source has been imported yet. See `deno task imports` for the reason; `deno task doctor` checks the sources";

/** What to do about an empty roadmap where no source is. */
export const EMPTY_ROADMAP_HINT =
  "The roadmap is empty: import one with `deno task import FILE-OR-URL`, set ROADMAP_SOURCE, or start with --sample";

/** The configured sources, which may change while a process runs. */
type Sources = { readonly current: readonly Pick<ConfiguredSource, "name">[] };

/** The last imports. */
export interface LastRuns {
  last: ImportRun | null;
  bySource: ReadonlyMap<string, ImportRun>;
  /** Seconds since the last successful import of each source, by its name. */
  ages: ReadonlyMap<string, number>;
}

/** The last import of all, and of each source, as far as known. */
export function inspectLastRuns(
  monitor: Monitor,
  sources: Sources,
): Promise<Inspected<LastRuns>> {
  const names = currentNames(sources);
  return monitor.inspect(`last imports ${JSON.stringify(names)}`, async (connection) => {
    const [last] = await readRuns(connection, 1);
    const runs = await readLastRuns(connection, names);
    return {
      last: last ?? null,
      bySource: new Map(runs.map((run) => [run.source_name, run])),
      ages: await readAges(connection, names),
    };
  });
}

interface Readiness {
  /** Names of migrations: what the database lacks, and what a newer version has closed to this one. */
  migrations: { missing: string[]; closing: string[] };
  ages: ReadonlyMap<string, number>;
  isEmpty: boolean;
}

/** The migrations that are missing, and how old and how empty the roadmap is, as far as known. */
export function inspectReadiness(
  monitor: Monitor,
  sources: Sources,
): Promise<Inspected<Readiness>> {
  const names = currentNames(sources);
  return monitor.inspect(`readiness ${JSON.stringify(names)}`, async (connection) => ({
    migrations: await compareMigrations(connection),
    ages: await readAges(connection, names),
    isEmpty: await isDatabaseEmpty(connection),
  }));
}

function currentNames({ current }: Sources): string[] {
  return current.map(({ name }) => name);
}
