import { describeCounts, describeOutcome } from "../../import/describe_run.ts";
import type { ImportRun } from "../../import/import_runs_sql.ts";
import { showLocation } from "../../import/fetching/location.ts";
import type { Removals } from "../../import/removals_sql.ts";
import type { ConfiguredSource } from "../../import/schedule/configured_sources.ts";
import type { SourceState } from "../../import/schedule/source_states_sql.ts";
import { countOf } from "../../text/count_of.ts";
import { AdminTable, Moment, Reload } from "./admin_page.tsx";
import { Confirm, PostForm } from "./forms.tsx";
import { Facts } from "./overview.tsx";
import { NextImport } from "./source_table.tsx";

/** What a source does now, and the button to import it. */
export function ImportState({ state, name, path }: {
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
export function UploadedSource({ name, hasMapping, hasItems, path }: {
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
          question="Its items are removed from the roadmap, as an import without them would; their history stays."
        />
      )}
    </div>
  );
}

/** Why the last import was refused, and what it would have removed. */
export function Refusal({ run, removals, isScheduled, path }: {
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
export function SourceFacts({ source, state, file }: {
  source: ConfiguredSource | null;
  state: SourceState | null;
  file: string | null;
}) {
  return (
    <section>
      <h2>Source</h2>
      <Facts
        facts={[
          ["Configured in", file ?? "nowhere: its files are imported by hand"],
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
export function RunTable({ runs }: { runs: readonly ImportRun[] }) {
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
                    ? describeCounts(run)
                    : describeOutcome(run)}
                </td>
              </tr>
            ))}
          </AdminTable>
        )}
    </section>
  );
}
