import {
  type ConfiguredSources,
  readAllSources,
} from "../lib/import/sources/configured_sources.ts";
import type { Config } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { describeOutcome, describeReadStatus } from "../lib/import/describe_run.ts";
import { removeListed } from "../lib/import/remove_source.ts";
import {
  readSourceStates,
  readStatuses,
  type SourceState,
  type StoredStatus,
} from "../lib/import/sources/source_states_sql.ts";
import { showLocation } from "../lib/import/fetching/location.ts";
import { countOf, toLine } from "../lib/text/phrases.ts";
import { systemClock } from "../lib/work/async.ts";
import { isoDate } from "../lib/text/dates.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseGiven, UsageError } from "./given.ts";

/** `deno task sources`: lists the sources, or removes the items of one. */
export const run: Command = async (args, config) => {
  const { positionals: [action, name] } = parseGiven("sources", args);
  if (action === undefined) {
    return await withDatabase(config, (database) => list(database, config), { needsSame: true });
  }
  if (action !== "remove") {
    throw new UsageError(`Sources can be listed or removed, not "${action}"`);
  }
  if (name === undefined) throw new UsageError("Name the source to remove");
  const asOf = isoDate(systemClock());
  const removed = await withDatabase(config, async (database) => {
    const { configured, stored } = (await readAllSources(config, database)).find(name);
    return await removeListed(database, name, { configured, stored, asOf });
  });
  console.log(
    removed === null
      ? `Removed the source "${name}" that was added at /admin/sources; that of the settings stays`
      : `Removed ${countOf(removed, "item")} of the source "${name}" as of ${asOf}`,
  );
};

async function list(database: Database, config: Config): Promise<void> {
  const sources = await readAllSources(config, database);
  const names = sources.listed.map(({ source }) => source.name);
  const states = await readSourceStates(database, names);
  const statuses = await readStatuses(database);
  for (const state of states) {
    console.log(describe(state, sources));
    for (const status of statuses) {
      if (status.source === state.name) console.log(describeOne(status));
    }
  }
  if (states.length === 0) console.log("No sources yet");
}

/** What a status counts as, below the line of its source. */
function describeOne(status: StoredStatus): string {
  const { tone, reason } = describeReadStatus(status);
  return `  ${toLine(status.status)}: ${countOf(status.count, "item")}, ${tone}, ${reason}`;
}

function describe(state: SourceState, sources: ConfiguredSources): string {
  const { configured, stored, counted } = sources.find(state.name);
  const { source, isPaused = false, setIn } = counted ?? {};
  const { last_run: last } = state;
  return [
    state.name,
    source ? source.kind ?? "kind detected" : "not scheduled",
    source ? showLocation(source.from) : last?.source ?? "",
    setIn === "page" ? "added at /admin/sources" : "",
    configured && stored ? "also added at /admin/sources, where it is ignored" : "",
    countOf(state.active, "active item"),
    state.products > 0 ? countOf(state.products, "product") : "",
    state.tags > 0 ? countOf(state.tags, "tag") : "",
    last ? `last import ${last.started_at} ${describeOutcome(last)}` : "never imported",
    ...source ? [isPaused ? "paused" : `next due ${state.due_at ?? "at startup"}`] : [],
  ].filter((part) => part !== "").join("  ");
}
