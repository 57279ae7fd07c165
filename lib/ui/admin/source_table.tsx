import type { ConfiguredSource } from "../../import/schedule/configured_sources.ts";
import { describeOutcome } from "../../import/describe_run.ts";
import type { SourceState } from "../../import/schedule/source_states_sql.ts";
import { countOf } from "../../text/count_of.ts";
import { AdminTable, Moment } from "./admin_page.tsx";

interface SourceTableProps {
  states: readonly SourceState[];
  sources: readonly ConfiguredSource[];
  path: string;
}

/** Every source with its last and its next import. */
export function SourceTable({ states, sources, path }: SourceTableProps) {
  if (states.length === 0) return <p>No sources yet.</p>;
  return (
    <AdminTable label="Sources" columns={["Source", "Items", "Last import", "Next import"]}>
      {states.map((state) => (
        <tr key={state.name}>
          <td>
            <a href={`${path}/admin/source?${new URLSearchParams({ name: state.name })}`}>
              {state.name}
            </a>
          </td>
          <td>{countOf(state.active, "item")}, {countOf(state.products, "product")}</td>
          <td>
            <LastImport state={state} />
          </td>
          <td>
            <NextImport
              state={state}
              isScheduled={sources.some(({ name }) => name === state.name)}
            />
          </td>
        </tr>
      ))}
    </AdminTable>
  );
}

function LastImport({ state: { last_run: last } }: { state: SourceState }) {
  if (last === null) return <>never</>;
  return (
    <>
      <Moment at={last.started_at} />, {describeOutcome(last)}
    </>
  );
}

/** When a source is imported next, or that it is now. */
export function NextImport({ state, isScheduled }: { state: SourceState; isScheduled: boolean }) {
  if (!isScheduled) return <>not scheduled</>;
  if (state.import === "running") return <>running now</>;
  if (state.import === "due" || state.due_at === null) return <>about to start</>;
  return <Moment at={state.due_at} />;
}
