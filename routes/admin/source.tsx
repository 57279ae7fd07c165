import { beginDraft } from "../../lib/admin/uploads/uploads.ts";
import { readMapping } from "../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { showLocation } from "../../lib/import/fetching/location.ts";
import { type ImportRun, readRuns } from "../../lib/import/import_runs_sql.ts";
import { KIND_TITLES } from "../../lib/import/kinds/known_kinds.ts";
import { acceptRemovals, readRefusal, type Removals } from "../../lib/import/removals_sql.ts";
import type { ListedSource } from "../../lib/import/sources/configured_sources.ts";
import {
  readSourceStates,
  readStatuses,
  scheduleOf,
  type SourceState,
} from "../../lib/import/sources/source_states_sql.ts";
import { listStoredSources } from "../../lib/import/sources/stored_sources_sql.ts";
import { formatDay } from "../../lib/text/dates.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { type AdminPage, Reload } from "../../lib/ui/admin/admin_page.tsx";
import { inPageWords } from "../../lib/ui/admin/page_words.ts";
import {
  Confirm,
  FactList,
  NextImport,
  Outcome,
  PostForm,
  sourcePath,
  StatusTable,
} from "../../lib/ui/admin/parts.tsx";
import { describeInterval } from "../../lib/ui/admin/source_form.tsx";
import { Moment, Table } from "../../lib/ui/admin/table.tsx";
import type { ActionConfig, ActionHandlers } from "../route.ts";
import { operated, type Visit } from "./(_components)/operator.tsx";
import {
  noteReading,
  optionsOfEntry,
  pause,
  remove,
  requireScheduled,
  startImport,
} from "./(_components)/source_parts.tsx";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "For operators: one source with its imports",
    POST: "Imports, changes, pauses, resumes or removes a source",
  },
};

const MAX_RUNS = 50;

/** What is said where an operator has a source imported that another one did. */
const BUSY = {
  running: "An import of this source is already running; its state is below.",
  due: "An import of this source is already about to start.",
};

export const handler: ActionHandlers = operated({
  find: ({ query }) => Promise.resolve(query.get("name") ?? ""),
  page: showSource,
  actions: {
    import: {
      says: { started: "The import starts within a few seconds.", ...BUSY },
      async run(name, { context: { services }, note }) {
        requireScheduled(name, services);
        const said = await startImport(name, services);
        if (said === "started") await note("started an import", name);
        return { said };
      },
    },
    /** Accepts once what the last import was refused for. */
    accept: {
      says: {
        started: "The next import may remove these items. It starts within a few seconds.",
        ...BUSY,
      },
      async run(name, { context: { services }, note }, sent) {
        const { databaseForJobs: database } = services;
        requireScheduled(name, services);
        const [last] = await readRuns(database, 1, name);
        const removals = last ? await readRefusal(database, last.run_id) : null;
        if (!last || removals === null || String(last.run_id) !== sent.get("run_id")) {
          throw new Problem(409, "There has been another import: check first what it would remove");
        }
        await acceptRemovals(database, scheduleOf(name), removals.total);
        await note("accepted once that an import removes items", `${removals.total} of ${name}`);
        return { said: await startImport(name, services) };
      },
    },
    /** Begins to change a source that was added before. */
    change: {
      async run(name, visit) {
        const { databaseForJobs: database, clock } = visit.context.services;
        const stored = (await listStoredSources(database)).find((source) => source.name === name);
        if (stored === undefined) {
          throw new Problem(404, `No source "${name}" was added here`);
        }
        const { secrets, version } = stored;
        const options = { ...optionsOfEntry(stored.entry), sourceName: name, secrets, version };
        const id = await beginDraft(database, options, clock());
        await noteReading(stored, visit);
        return { to: `/admin/upload?id=${id}` };
      },
    },
    pause: {
      says: "The source is paused. Its releases stay as they are.",
      run: (name, visit) => pause(name, visit, true),
    },
    resume: {
      says: "The source is resumed. Its next import starts within a few seconds.",
      run: (name, visit) => pause(name, visit, false),
    },
    remove: {
      says: {
        stored: "The source that was added here is removed.",
        all: "The source and its releases were removed.",
      },
      run: remove,
    },
  },
});

async function showSource(name: string, { context }: Visit): Promise<AdminPage> {
  const { services, site: { path } } = context;
  const { database, sources, config } = services;
  await sources.readStored(database);
  const { configured, stored, counted: listed } = sources.find(name);
  const source = listed?.source ?? null;
  const [states, runs, statuses] = await Promise.all([
    readSourceStates(database, source ? [name] : []),
    readRuns(database, MAX_RUNS, name),
    readStatuses(database, name),
  ]);
  const state = states.find((state) => state.name === name) ?? null;
  if (state === null && runs.length === 0) {
    throw new Problem(404, `There is no source "${name}"`);
  }
  const [last] = runs;
  const removals = last ? await readRefusal(database, last.run_id) : null;
  const mapping = source ? null : await readMapping(database, name);
  return {
    title: name,
    place: "/sources",
    isLive: state !== null && state.import !== null,
    children: (
      <>
        {configured && stored && (
          <p class="admin-note">
            A source with this name was also added here. The one in {configured.setIn} is used.
          </p>
        )}
        {state !== null && state.active > 0 && (
          <p>
            <a href={`${path}/?${new URLSearchParams({ source: name })}`}>See it on the roadmap</a>
          </p>
        )}
        {stored && <StoredSource stored={stored} state={state} />}
        {source === null && (
          <UploadedSource
            name={name}
            hasMapping={mapping !== null}
            items={state?.active ?? 0}
            path={path}
          />
        )}
        {source && state && !listed?.isPaused && (
          <ImportState state={state} name={name} path={path} />
        )}
        {last && removals && (
          <Refusal run={last} removals={removals} isScheduled={source !== null} />
        )}
        <SourceFacts listed={listed} state={state} file={config.ROADMAP_CONFIG} />
        <StatusTable
          statuses={statuses}
          change={<WhereToChoose name={name} listed={listed} path={path} />}
        />
        <RunTable runs={runs} />
      </>
    ),
  };
}

/** What a source does now, and the button to import it. */
function ImportState({ state, name, path }: {
  state: SourceState;
  name: string;
  path: string;
}) {
  const reload = <Reload href={sourcePath(path, name)} />;
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
  return <PostForm does="import" button="Import now" weight="first" />;
}

/** What can be done with a source that was added here. */
function StoredSource({ stored, state }: { stored: ListedSource; state: SourceState | null }) {
  const { source: { name }, isPaused, isShadowed } = stored;
  const items = countOf(state?.active ?? 0, "release");
  return (
    <div class="admin-actions">
      <PostForm does="change" button="Change" />
      {isPaused
        ? <PostForm does="resume" button="Resume" />
        : <PostForm does="pause" button="Pause" />}
      <Confirm
        does="remove"
        button="Remove"
        label={name}
        question={state && state.active > 0 && !isShadowed
          ? `${items} of ${countOf(state.products, "product")} leave the roadmap; their history ` +
            "stays. The source and its sign-in are deleted."
          : "Nothing leaves the roadmap. The source and its sign-in are deleted."}
      />
    </div>
  );
}

/** What can be done with a source whose files are uploaded. */
function UploadedSource({ name, hasMapping, items, path }: {
  name: string;
  hasMapping: boolean;
  items: number;
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
      {items > 0 && (
        <Confirm
          does="remove"
          button="Remove"
          label={name}
          question={`${countOf(items, "release")} leave the roadmap; their history stays.`}
        />
      )}
    </div>
  );
}

/** Where to choose what a status counts as. */
function WhereToChoose({ name, listed, path }: {
  name: string;
  listed: ListedSource | null;
  path: string;
}) {
  if (listed?.setIn === "page") return <>“Change” has a menu for each.</>;
  if (listed === null) {
    return (
      <>
        Choose what it counts as when you{" "}
        <a href={`${path}/admin/uploads?${new URLSearchParams({ name })}`}>upload the next file</a>.
      </>
    );
  }
  return (
    <>
      Set another tone in the mapping:{" "}
      <code>{'"release_status": {"from": "Status", "tones": {"Live in EU": "shipped"}}'}</code>.
    </>
  );
}

/** Why the last import was refused, and what it would have removed. */
function Refusal({ run, removals, isScheduled }: {
  run: ImportRun;
  removals: Removals;
  isScheduled: boolean;
}) {
  const { total, products } = removals;
  const shown = products.reduce((sum, { removed }) => sum + removed, 0);
  return (
    <section>
      <h2>The last import was refused</h2>
      <p class="admin-problem">{inPageWords(run.error ?? "")}</p>
      {products.length > 0 && (
        <Table
          label="What it would have removed"
          rows={total > shown
            ? [...products, { product_name: "Other products", active: "", removed: total - shown }]
            : products}
          columns={{
            "Product": "product_name",
            "Active items": "active",
            "Would be removed": "removed",
          }}
        />
      )}
      {isScheduled
        ? (
          <PostForm
            does="accept"
            fields={{ run_id: run.run_id }}
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

/** What a source is, and where it was set. */
function SourceFacts({ listed, state, file }: {
  listed: ListedSource | null;
  state: SourceState | null;
  file: string | null;
}) {
  const setIn = listed === null
    ? "Uploaded here"
    : listed.setIn === "page"
    ? "Added here"
    : listed.setIn === "ROADMAP_CONFIG"
    ? `${file} (ROADMAP_CONFIG)`
    : "ROADMAP_SOURCE";
  return (
    <section>
      <h2>Source</h2>
      <FactList
        facts={[
          ["Set in", setIn],
          ...listed
            ? [
              ["Read from", showLocation(listed.source.from)],
              ["Kind", listed.source.kind === null ? "detected" : KIND_TITLES[listed.source.kind]],
              ["How often", describeInterval(listed.source.everyMinutes)],
            ] as const
            : [],
          ...state
            ? [
              ["Active items", state.active],
              ["Products", state.products],
              ["Next import", <NextImport key="next" state={state} listed={listed} />],
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
      <Table
        label="Imports"
        none="No imports yet."
        rows={runs}
        columns={{
          "Started": ({ started_at }) => <Moment at={started_at} />,
          "Read from": "source",
          "As of": (run) => formatDay(run.as_of),
          "Outcome": (run) => <Outcome run={run} />,
        }}
      />
    </section>
  );
}
