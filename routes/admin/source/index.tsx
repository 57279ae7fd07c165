import { operatorPage } from "../(_components)/operator.tsx";
import { readMapping } from "../../../lib/admin/uploads/uploads_sql.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { showLocation } from "../../../lib/import/fetching/location.ts";
import { type ImportRun, readRunsOf } from "../../../lib/import/import_runs_sql.ts";
import { KIND_TITLES } from "../../../lib/import/kinds/known_kinds.ts";
import { readRefusal, type Removals } from "../../../lib/import/removals_sql.ts";
import type { ListedSource } from "../../../lib/import/sources/configured_sources.ts";
import {
  readSourceStates,
  readStatuses,
  type SourceState,
} from "../../../lib/import/sources/source_states_sql.ts";
import { formatDay } from "../../../lib/text/dates.ts";
import { countOf } from "../../../lib/text/phrases.ts";
import { AdminTable, Moment, Reload } from "../../../lib/ui/admin/admin_page.tsx";
import { inPageWords } from "../../../lib/ui/admin/page_words.ts";
import {
  Confirm,
  FactList,
  NextImport,
  Outcome,
  PostForm,
  StatusTable,
} from "../../../lib/ui/admin/parts.tsx";
import { describeInterval } from "../../../lib/ui/admin/source_form.tsx";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "For operators: one source with its imports",
};

const MAX_RUNS = 50;

/** One source: its imports, why the last one was refused, and what it is. */
const GET = operatorPage(async ({ query, context }) => {
  const { services, site: { path } } = context;
  const { database, sources, config } = services;
  const name = query.get("name") ?? "";
  await sources.readStored(database);
  const { configured, stored, counted: listed } = sources.find(name);
  const source = listed?.source ?? null;
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
        {stored && <StoredSource stored={stored} state={state} path={path} />}
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
          <Refusal run={last} removals={removals} isScheduled={source !== null} path={path} />
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
});

export const handler: ActionHandlers = { GET };

function noSource(name: string): Problem {
  return new Problem(404, `There is no source "${name}"`);
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

/** What can be done with a source that was added here. */
function StoredSource({ stored, state, path }: {
  stored: ListedSource;
  state: SourceState | null;
  path: string;
}) {
  const { source: { name }, isPaused, isShadowed } = stored;
  const items = countOf(state?.active ?? 0, "release");
  return (
    <div class="admin-actions">
      <PostForm action={`${path}/admin/source/change`} fields={{ name }} button="Change" />
      {isPaused
        ? <PostForm action={`${path}/admin/source/resume`} fields={{ name }} button="Resume" />
        : <PostForm action={`${path}/admin/source/pause`} fields={{ name }} button="Pause" />}
      <Confirm
        action={`${path}/admin/source/remove`}
        fields={{ name }}
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
          action={`${path}/admin/source/remove`}
          fields={{ name }}
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
      <p class="admin-problem">{inPageWords(run.error ?? "")}</p>
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
                <td>{formatDay(run.as_of)}</td>
                <td>
                  <Outcome run={run} />
                </td>
              </tr>
            ))}
          </AdminTable>
        )}
    </section>
  );
}
