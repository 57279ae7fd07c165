import type { DatabaseState } from "../lib/database/monitor.ts";
import { EMPTY_ROADMAP_HINT, inspectReadiness } from "../lib/import/inspect_imports.ts";
import { answerUncached } from "../lib/http/answer_uncached.ts";
import type { ActionHandler, Services } from "./route.ts";

/**
 * Ready: the database is there and up to date, and so is the roadmap, where it has a source. One
 * that is busy is there: were it not, load would take one process after the other out of service.
 */
export const ready: ActionHandler = {
  isForOperators: true,
  async answer(_request, _client, { services }) {
    const checks = await check(services);
    const { database, migrations, roadmap } = checks;
    const isReady = database !== "away" && migrations === "ok" && roadmap === "ok";
    return answerUncached({ ready: isReady, ...checks }, isReady ? 200 : 503);
  },
};

async function check({ monitor, config }: Services): Promise<Checks> {
  const { database, known } = await inspectReadiness(monitor);
  if (database === "away" || known === null) {
    return { database, migrations: "unknown", roadmap: "unknown" };
  }
  const { missing, age, isEmpty } = known;
  const migrations = missing.length === 0 ? "ok" : `missing: ${missing.join(", ")}`;
  const roadmap = config.source === null ? "ok" : describeAge(age, config.maxAgeMinutes);
  return { database, migrations, roadmap, ...isEmpty && { hint: EMPTY_ROADMAP_HINT } };
}

interface Checks {
  database: DatabaseState;
  migrations: string;
  roadmap: string;
  /** What to do about an empty roadmap; absent: there is one. */
  hint?: string;
}

function describeAge(seconds: number | null, maxMinutes: number): string {
  if (seconds === null) return "never imported";
  const minutes = Math.floor(seconds / 60);
  return minutes <= maxMinutes ? "ok" : `last imported ${minutes} minutes ago`;
}
