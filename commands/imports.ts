import { type ImportRun, readRuns } from "../lib/import/import_runs_sql.ts";
import { describeOutcome } from "../lib/import/describe_run.ts";
import { DEFAULT_SOURCE } from "../lib/import/import_options.ts";
import { type Command, withDatabase } from "./command.ts";
import { parseCount, parseGiven } from "./given.ts";

/** `deno task imports`: lists the imports, newest first. */
export const run: Command = async (args, config) => {
  const { values } = parseGiven("imports", args);
  const limit = parseCount(values.limit ?? "20", "--limit");
  const runs = await withDatabase(config, (database) => readRuns(database, limit));
  for (const run of runs) {
    console.log(`${run.run_id}  ${run.started_at}  ${showSource(run)}  ${describeOutcome(run)}`);
  }
  if (runs.length === 0) console.log("No imports yet");
};

function showSource({ source, source_name }: ImportRun): string {
  return source_name === DEFAULT_SOURCE ? source : `${source_name}: ${source}`;
}
