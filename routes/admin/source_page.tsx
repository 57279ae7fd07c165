import { readMapping } from "../../lib/admin/uploads/uploads_sql.ts";
import type { Config } from "../../lib/config/config.ts";
import { makeDue } from "../../lib/database/leases/schedules_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { readRunsOf } from "../../lib/import/import_runs_sql.ts";
import { removeSource, SourceRemovalError } from "../../lib/import/remove_source.ts";
import { acceptRemovals, readRefusal } from "../../lib/import/removals_sql.ts";
import type { ConfiguredSource } from "../../lib/import/schedule/configured_sources.ts";
import { scheduleOf } from "../../lib/import/schedule/schedule_name.ts";
import { readStatuses } from "../../lib/import/statuses_sql.ts";
import { readSourceStates } from "../../lib/import/schedule/source_states_sql.ts";
import type { Services } from "../../lib/service/services.ts";
import { StatusTable } from "../../lib/ui/admin/status_table.tsx";
import {
  ImportState,
  Refusal,
  RunTable,
  SourceFacts,
  UploadedSource,
} from "../../lib/ui/admin/source.tsx";
import { countOf } from "../../lib/text/count_of.ts";
import { today } from "../route.ts";
import type { Notice } from "./notices.ts";
import { type Next, operatorAction, operatorPage, operatorRoute } from "./operator.tsx";
import { answerFields } from "./upload_actions.ts";

const MAX_RUNS = 50;

/** One source: its imports, why the last one was refused, and what it is. */
export const sourcePage = operatorPage(async ({ query, context }) => {
  const { services, site: { path } } = context;
  const { database, sources, config } = services;
  const name = query.get("name") ?? "";
  const source = sources.current.find((source) => source.name === name) ?? null;
  const [states, runs, statuses] = await Promise.all([
    readSourceStates(database, source ? [name] : []),
    readRunsOf(database, { sourceName: name, limit: MAX_RUNS }),
    readStatuses(database, name),
  ]);
  const state = states.find((state) => state.name === name) ?? null;
  if (state === null && runs.length === 0) throw noSource(name);
  const [last] = runs;
  const removals = last ? await readRefusal(database, last.run_id) : null;
  const mapping = source ? null : await readMapping(database, name);
  return {
    title: name,
    place: "/sources",
    isLive: state !== null && state.import !== null,
    children: (
      <>
        {source === null && (
          <UploadedSource
            name={name}
            hasMapping={mapping !== null}
            hasItems={state !== null}
            path={path}
          />
        )}
        {source && state && <ImportState state={state} name={name} path={path} />}
        {last && removals && (
          <Refusal run={last} removals={removals} isScheduled={source !== null} path={path} />
        )}
        <SourceFacts source={source} state={state} file={fileOf(source, config)} />
        <StatusTable statuses={statuses} />
        <RunTable runs={runs} />
      </>
    ),
  };
});

/** Has a source imported now, unless another operator did. */
export const postedImportNow = operatorAction(async (form, { context: { services }, note }) => {
  const name = requireSource(form, services).name;
  const done = await startImport(name, services);
  if (done === "started") await note("started an import", name);
  return pageOf(name, done);
});

/** Accepts once what the last import was refused for. */
export const postedAcceptance = operatorAction(async (form, { context: { services }, note }) => {
  const { databaseForJobs: database } = services;
  const { name } = requireSource(form, services);
  const [last] = await readRunsOf(database, { sourceName: name, limit: 1 });
  const removals = last ? await readRefusal(database, last.run_id) : null;
  if (!last || removals === null || String(last.run_id) !== form.get("run_id")) {
    throw new Problem(409, "There was another import since: look at what it would remove first");
  }
  await acceptRemovals(database, scheduleOf(name), removals.total);
  await note("accepted once that an import removes items", `${removals.total} of ${name}`);
  const done = await startImport(name, services);
  return pageOf(name, done === "started" ? "accepted" : done);
});

/** Has a source imported by whichever process is first; says what another operator did before. */
async function startImport(
  name: string,
  { databaseForJobs: database, config, jobs }: Services,
): Promise<"started" | "running" | "due"> {
  const before = (await readSourceStates(database, [name])).find((state) => state.name === name);
  if (before?.import === "due") return "due";
  const { isTaken } = await makeDue(database, scheduleOf(name));
  if (isTaken) return "running";
  if (config.BACKGROUND_JOBS) jobs.trigger("imports");
  else await jobs.runDue();
  return "started";
}

/** The mapping with which the files of a source are read, as `--fields` takes it. */
export const sourceFields = operatorRoute(async ({ request, query, context: { services } }) => {
  const name = query.get("name") ?? "";
  const mapping = await readMapping(services.database, name);
  if (mapping === null) throw new Problem(404, `No mapping is stored for the source "${name}"`);
  return answerFields(request, mapping.fields);
});

/** Removes the items of a source that is not scheduled. */
export const postedSourceRemoval = operatorAction(async (form, { context: { services }, note }) => {
  const name = form.get("name") ?? "";
  if (services.sources.current.some((source) => source.name === name)) {
    throw new Problem(409, `The source "${name}" is imported on a schedule: end that first`);
  }
  try {
    const removed = await removeSource(services.databaseForJobs, name, today(services));
    await note("removed a source", `${name}, ${countOf(removed, "item")}`);
  } catch (error) {
    if (error instanceof SourceRemovalError) throw new Problem(404, error.message);
    throw error;
  }
  return { page: "/admin/sources", notice: "source-removed" };
});

function requireSource(
  form: URLSearchParams,
  { sources }: Pick<Services, "sources">,
): ConfiguredSource {
  const name = form.get("name") ?? "";
  const source = sources.current.find((source) => source.name === name);
  if (source) return source;
  throw new Problem(404, `The source "${name}" is not scheduled, or not any more`);
}

function noSource(name: string): Problem {
  return new Problem(404, `There is no source "${name}"`);
}

function pageOf(name: string, notice: Notice): Next {
  return { page: `/admin/source?${new URLSearchParams({ name })}`, notice };
}

/** Where a source is configured; null: it is not. */
function fileOf(
  source: ConfiguredSource | null,
  { ROADMAP_CONFIG: sourcesFile }: Config,
): string | null {
  return source === null ? null : sourcesFile ?? "ROADMAP_SOURCE";
}
