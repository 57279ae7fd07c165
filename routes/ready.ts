import type { DatabaseState } from "../lib/database/monitor.ts";
import {
  EMPTY_ROADMAP_HINT,
  inspectReadiness,
  NO_IMPORT_HINT,
} from "../lib/import/sources/inspect_imports.ts";
import { answerUncached } from "../lib/http/responses/representation.ts";
import type { ActionConfig, ActionHandlers } from "./route.ts";
import type { Services } from "../lib/service/services.ts";

const DAY_MINUTES = 1_440;

export const config: ActionConfig = {
  errors: "json",
  summary: "Whether this process is ready for requests: 200, or 503 with the reasons",
};

/**
 * Readiness: the database is reachable and migrated, and the last import of each source recent
 * enough. A busy database counts as ready: otherwise load would take one process after the other
 * out of service.
 */
export const handler: ActionHandlers = {
  GET: {
    isForOperators: true,
    async answer(_request, _client, { services }) {
      const checks = await check(services);
      const { database, migrations, roadmap } = checks;
      const isReady = database !== "away" && migrations === "ok" && roadmap === "ok";
      return answerUncached({ ready: isReady, ...checks }, isReady ? 200 : 503);
    },
  },
};

async function check({ monitor, sources }: Services): Promise<Checks> {
  const { database, known } = await inspectReadiness(monitor, sources);
  if (database === "away" || known === null) {
    return { database, migrations: "unknown", roadmap: "unknown" };
  }
  const { ages, isEmpty } = known;
  const migrations = describeMigrations(known.migrations);
  const advice = sources.current.length > 0 ? NO_IMPORT_HINT : EMPTY_ROADMAP_HINT;
  const hint = isEmpty ? { hint: advice } : {};
  const outcomes = sources.current.map(({ name, everyMinutes }) => {
    const maxMinutes = Math.max(DAY_MINUTES, everyMinutes * 3);
    return { name, roadmap: describeAge(ages.get(name), maxMinutes) };
  });
  const worst = outcomes.find(({ roadmap }) => roadmap !== "ok");
  if (outcomes.length < 2) {
    return { database, migrations, roadmap: worst?.roadmap ?? "ok", ...hint };
  }
  const roadmap = worst ? `${worst.name}: ${worst.roadmap}` : "ok";
  return { database, migrations, roadmap, sources: outcomes, ...hint };
}

interface Checks {
  database: DatabaseState;
  migrations: string;
  roadmap: string;
  /** What to do about an empty roadmap; absent: it is not empty. */
  hint?: string;
  /** Present if there are several. */
  sources?: { name: string; roadmap: string }[];
}

function describeMigrations(
  { missing, closing }: { missing: readonly string[]; closing: readonly string[] },
): string {
  if (missing.length > 0) return `missing: ${missing.join(", ")}`;
  return closing.length > 0 ? `a newer version is needed since ${closing.join(", ")}` : "ok";
}

function describeAge(seconds: number | undefined, maxMinutes: number): string {
  if (seconds === undefined) return "never imported";
  const minutes = Math.floor(seconds / 60);
  return minutes <= maxMinutes ? "ok" : `last imported ${minutes} minutes ago`;
}
