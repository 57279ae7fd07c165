import { describeCounts, describeOutcome } from "../../import/describe_run.ts";
import type { ImportRun } from "../../import/import_runs_sql.ts";
import { showLocation } from "../../import/fetching/location.ts";
import type { Removals } from "../../import/removals_sql.ts";
import type { ConfiguredSource } from "../../import/schedule/configured_sources.ts";
import type { SourceState } from "../../import/schedule/source_states_sql.ts";
import { countOf } from "../../text/count_of.ts";
import { AdminTable, Moment, Reload } from "./admin_page.tsx";
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
  return (
    <form method="post" action={`${path}/admin/source/import`}>
      <input type="hidden" name="name" value={name} />
      <button type="submit">Import now</button>
    </form>
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
          <form method="post" action={`${path}/admin/source/accept`}>
            <p>
              If these items are really gone, accept it once: the next import may remove up to{" "}
              {countOf(total, "item")}. After it, the usual limits apply again.
            </p>
            <input type="hidden" name="name" value={run.source_name} />
            <input type="hidden" name="run_id" value={run.run_id} />
            <button type="submit">Accept once and import</button>
          </form>
        )
        : <p>Import it again with --allow-mass-removal if these items are really gone.</p>}
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
          ["Configured in", file ?? "nowhere: it was imported by hand"],
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
