import { readMapping } from "../../lib/admin/uploads/uploads_sql.ts";
import type { Config } from "../../lib/config/config.ts";
import { makeDue } from "../../lib/database/leases.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { describeCounts, describeOutcome, listNotes } from "../../lib/import/describe_run.ts";
import { showLocation } from "../../lib/import/fetching/location.ts";
import { type ImportRun, readRunsOf } from "../../lib/import/import_runs_sql.ts";
import { acceptRemovals, readRefusal, type Removals } from "../../lib/import/removals_sql.ts";
import { removeSource, SourceRemovalError } from "../../lib/import/remove_source.ts";
import type { ConfiguredSource } from "../../lib/import/schedule/configured_sources.ts";
import {
  readSourceStates,
  readStatuses,
  scheduleOf,
  type SourceState,
} from "../../lib/import/schedule/source_states_sql.ts";
import type { Services } from "../../lib/service/services.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { AdminTable, Moment, Reload } from "../../lib/ui/admin/admin_page.tsx";
import {
  Confirm,
  FactList,
  NextImport,
  PostForm,
  SourceTable,
  StatusTable,
} from "../../lib/ui/admin/parts.tsx";
import { today } from "../route.ts";
import {
  type Next,
  type Notice,
  operatorAction,
  operatorPage,
  operatorRoute,
} from "./operator.tsx";
import { answerFields } from "./upload_actions.ts";

/** Every source. */
export const sourcesPage = operatorPage(async ({ context }) => {
  const { services: { database, sources, config }, site: { path } } = context;
  const names = sources.current.map(({ name }) => name);
  const states = await readSourceStates(database, names);
  return {
    title: "Sources",
    children: (
      <>
        <p>
          {config.ROADMAP_CONFIG !== null
            ? (
              <>
                The scheduled sources are those of the file <code>{config.ROADMAP_CONFIG}</code>
                {" "}
                (ROADMAP_CONFIG). To change them, edit it, and send the server SIGHUP or restart it.
              </>
            )
            : config.ROADMAP_SOURCE !== null
            ? "The scheduled source is the one of ROADMAP_SOURCE."
            : "No source is scheduled: neither ROADMAP_SOURCE nor ROADMAP_CONFIG is set."}
        </p>
        <SourceTable states={states} sources={sources.current} path={path} />
      </>
    ),
  };
});

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
    throw new Problem(409, "There has been another import: check first what it would remove");
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
    throw new Problem(409, `The source "${name}" is imported on a schedule: stop that first`);
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
  throw new Problem(404, `The source "${name}" is not scheduled`);
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

/** What a source does now, and the button to import it. */
function ImportState({ state, name, path }: {
  state: SourceState;
  name: string;
  path: string;
}) {
  const reload = <Reload href={`${path}/admin/source?${new URLSearchParams({ name })}`} />;
  if (state.import === "running") {
    return <p role="status">An import is running. {reload}</p>;
  }
  if (state.import === "due") {
    return (
      <p role="status">
        An import is about to start. {reload}
      </p>
    );
  }
  const action = `${path}/admin/source/import`;
  return <PostForm action={action} fields={{ name }} button="Import now" weight="first" />;
}

/** What can be done with a source whose files are uploaded. */
function UploadedSource({ name, hasMapping, hasItems, path }: {
  name: string;
  hasMapping: boolean;
  hasItems: boolean;
  path: string;
}) {
  const query = new URLSearchParams({ name });
  return (
    <div class="admin-actions">
      <a class="button" href={`${path}/admin/uploads?${query}`}>Upload the next file</a>
      {hasMapping && (
        <a class="button second" href={`${path}/admin/source/fields?${query}`} download>
          Download the mapping
        </a>
      )}
      {hasItems && (
        <Confirm
          action={`${path}/admin/source/remove`}
          fields={{ name }}
          button="Remove"
          label={name}
          question="Its items are removed from the roadmap; their history stays."
        />
      )}
    </div>
  );
}

/** Why the last import was refused, and what it would have removed. */
function Refusal({ run, removals, isScheduled, path }: {
  run: ImportRun;
  removals: Removals;
  isScheduled: boolean;
  path: string;
}) {
  const { total, products } = removals;
  const shown = products.reduce((sum, { removed }) => sum + removed, 0);
  return (
    <section>
      <h2>The last import was refused</h2>
      <p class="admin-problem">{run.error}</p>
      {products.length > 0 && (
        <AdminTable
          label="What it would have removed"
          columns={["Product", "Active items", "Would be removed"]}
        >
          {products.map(({ product_name, active, removed }) => (
            <tr key={product_name}>
              <td>{product_name}</td>
              <td>{active}</td>
              <td>{removed}</td>
            </tr>
          ))}
          {total > shown && (
            <tr>
              <td>Other products</td>
              <td></td>
              <td>{total - shown}</td>
            </tr>
          )}
        </AdminTable>
      )}
      {isScheduled
        ? (
          <PostForm
            action={`${path}/admin/source/accept`}
            fields={{ name: run.source_name, run_id: run.run_id }}
            button="Accept once and import"
            weight="danger"
          >
            <p>
              If these items are really gone, accept it once: the next import may remove up to{" "}
              {countOf(total, "item")}. After it, the usual limits apply again.
            </p>
          </PostForm>
        )
        : (
          <p>
            If these items are really gone, upload the file again and allow it to remove them.
          </p>
        )}
    </section>
  );
}

/** What a source is, as configured. */
function SourceFacts({ source, state, file }: {
  source: ConfiguredSource | null;
  state: SourceState | null;
  file: string | null;
}) {
  return (
    <section>
      <h2>Source</h2>
      <FactList
        facts={[
          ["Configured in", file ?? "Uploaded here"],
          ...source
            ? [
              ["Read from", showLocation(source.from)],
              ["Kind", source.kind ?? "detected"],
              ["Every", countOf(source.everyMinutes, "minute")],
            ] as const
            : [],
          ...state
            ? [
              ["Active items", state.active],
              ["Products", state.products],
              [
                "Next import",
                <NextImport key="next" state={state} isScheduled={source !== null} />,
              ],
            ] as const
            : [],
        ]}
      />
    </section>
  );
}

/** The imports of a source, newest first. */
function RunTable({ runs }: { runs: readonly ImportRun[] }) {
  return (
    <section>
      <h2>Imports</h2>
      {runs.length === 0
        ? <p>No imports yet.</p>
        : (
          <AdminTable label="Imports" columns={["Started", "Read from", "As of", "Outcome"]}>
            {runs.map((run) => (
              <tr key={run.run_id}>
                <td>
                  <Moment at={run.started_at} />
                </td>
                <td>{run.source}</td>
                <td>{run.as_of}</td>
                <td>
                  {run.error === null && run.finished_at !== null
                    ? [describeCounts(run), ...listNotes(run.notes)].join(". ")
                    : describeOutcome(run)}
                </td>
              </tr>
            ))}
          </AdminTable>
        )}
    </section>
  );
}
