import type { Database } from "../../database/database.ts";
import type { JobSignals } from "../../work/due_work.ts";
import type { ConfiguredSource } from "./configured_sources.ts";
import { type ImportConfig, ScheduledImport } from "./scheduled_import.ts";

/** Imports every source that is due, one after the other; an import that began is not cut short. */
export async function importDueSources(
  { database, sources, ...config }: ImportConfig & {
    database: Database;
    sources: readonly ConfiguredSource[];
  },
  { stopping, ending }: JobSignals,
): Promise<{ imported: number; failed: number }> {
  const counts = { imported: 0, failed: 0 };
  for (const source of sources) {
    if (ending.aborted) break;
    const scheduled = new ScheduledImport(database, source, config);
    await scheduled.add();
    const outcome = await scheduled.importIfDue(stopping);
    if (outcome !== null) counts[outcome]++;
  }
  return counts;
}
