import { readAgeOfData } from "../lib/import/import_runs_sql.ts";
import { listMissingMigrations } from "../lib/database/migrate.ts";
import { answerPlainly } from "./health.ts";
import type { ActionHandler, Services } from "./route.ts";

/** Ready: the database answers and is up to date, and so is the roadmap, where it has a source. */
export const ready: ActionHandler = {
  isForOperators: true,
  async answer(_request, _client, { services }) {
    const checks = await check(services);
    const isReady = Object.values(checks).every((outcome) => outcome === "ok");
    return answerPlainly({ ready: isReady, ...checks }, isReady ? 200 : 503);
  },
};

async function check({ database, config }: Services): Promise<Record<string, string>> {
  try {
    const missing = await listMissingMigrations(database);
    const migrations = missing.length === 0 ? "ok" : `missing: ${missing.join(", ")}`;
    const age = config.source === null ? 0 : await readAgeOfData(database);
    return { database: "ok", migrations, roadmap: describeAge(age, config.maxAgeMinutes) };
  } catch {
    return { database: "away", migrations: "unknown", roadmap: "unknown" };
  }
}

function describeAge(seconds: number | null, maxMinutes: number): string {
  if (seconds === null) return "never imported";
  const minutes = Math.floor(seconds / 60);
  return minutes <= maxMinutes ? "ok" : `last imported ${minutes} minutes ago`;
}
