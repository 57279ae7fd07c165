import type { Database } from "../../database/database.ts";
import type { ConfiguredSource } from "./configured_sources.ts";
import { type ImportConfig, ScheduledImport } from "./scheduled_import.ts";
import { repeat } from "../../work/repeat.ts";

/** How often a process checks whether the source is due. */
const LOOK_MS = 10_000;

/** The schedule by which a source is imported. */
export interface Sync {
  /** Resolved when this process has imported, failed, or found another one importing. */
  readonly firstTry: Promise<void>;
  /** Stops the schedule, and a running import, which is rolled back. */
  stop(): Promise<void>;
}

/** Imports a source at once and then on schedule, in one process at a time per database. */
export function startSync(
  database: Database,
  source: ConfiguredSource,
  config: ImportConfig,
): Sync {
  const scheduled = new ScheduledImport(database, source, config);
  const stopping = new AbortController();
  const firstTry = Promise.withResolvers<void>();
  let isMadeDue = false;

  async function importIfDue(): Promise<void> {
    if (!isMadeDue) await scheduled.makeDue();
    isMadeDue = true;
    await scheduled.importIfDue(stopping.signal);
  }

  const job = repeat(
    "The import on schedule",
    LOOK_MS,
    () => importIfDue().finally(firstTry.resolve),
  );
  return {
    firstTry: firstTry.promise,
    async stop() {
      stopping.abort(new Error("the process is stopping"));
      await job.stop();
    },
  };
}
