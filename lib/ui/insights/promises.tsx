import { Name } from "../../../islands/name.tsx";
import type { Insights } from "../../insights/insights.ts";
import { countOf } from "../../text/count_of.ts";
import { addQuarters, formatDay, formatQuarter, quarterDays } from "../../text/dates.ts";
import { FigureTable } from "../figure_table.tsx";
import { ChartLegend, partsInWords, StackedBar, StackedColumns } from "../stacked_chart.tsx";

type Promises = Insights["promises"];
type Counts = Omit<Promises["by_quarter"][number], "quarter">;

const PARTS = [
  { kind: "in_time", label: "In time" },
  { kind: "late", label: "Late" },
  { kind: "moved", label: "Moved" },
  { kind: "open", label: "Not yet" },
  { kind: "dropped", label: "Dropped" },
] as const;

const COLUMNS = ["Promised", ...PARTS.map(({ label }) => label), "Share", "Median slip"];

/** Outcome of first promises, by quarter and by product. */
export function PromisesSection({ insights }: { insights: Insights }) {
  const { promises, watched } = insights;
  const { from, to, due, by_quarter, by_product, too_early, not_watched } = promises;
  return (
    <section class="insight" aria-labelledby="promises">
      <h2 id="promises">Shipped in time</h2>
      <p class="quiet">
        Releases first promised for a quarter from {from} to{" "}
        {to}, by outcome. In time means by the last day of that quarter. Only what was seen counts:
        a release that was on the roadmap before the quarter ended, from a source that was read
        after it.
      </p>
      {watched.length > 0 && (
        <p class="quiet">
          Watched:{" "}
          {watched.map(({ source, from, to }) =>
            `${source} from ${formatDay(from)} to ${formatDay(to)}`
          ).join("; ")}.
        </p>
      )}
      {too_early + not_watched > 0 && (
        <p class="quiet">
          Not counted: {too_early} too early to judge, {not_watched} not watched then.
        </p>
      )}
      {due === 0
        ? (
          <p class="notice">
            {whyNothing(insights)}
          </p>
        )
        : (
          <>
            <ByQuarter rows={fromFirst(by_quarter)} all={promises} />
            <h3>By product</h3>
            <ByProduct rows={by_product} />
          </>
        )}
    </section>
  );
}

/** Why there is no promise that can be judged. */
function whyNothing({ as_of, watched, promises }: Insights): string {
  const first = watched.map(({ from }) => from).sort()[0];
  if (first === undefined) return "No promised quarter has ended yet. Figures appear once one has.";
  const next = quarterDays(addQuarters(formatQuarter(first), 1))!.first;
  if (next > as_of) {
    return `No quarter has ended since ${formatDay(first)}. First figures: ${formatDay(next)}.`;
  }
  return promises.too_early > 0
    ? "Too early to judge: no source has been read since a promised quarter ended."
    : "No release that was watched was promised for a quarter that has ended.";
}

/** Without the quarters before the first promise. */
function fromFirst(rows: Promises["by_quarter"]): Promises["by_quarter"] {
  return rows.slice(Math.max(0, rows.findIndex(({ due }) => due > 0)));
}

function ByQuarter({ rows, all }: { rows: Promises["by_quarter"]; all: Counts }) {
  const bars = rows.map((row) => ({
    name: row.quarter.slice(0, 2),
    group: row.quarter.slice(3),
    note: row.due === 0 ? "" : shareInWords(row.share_in_time),
    parts: partsOf(row),
  }));
  const label = rows.map((row) => `${row.quarter}: ${partsInWords(partsOf(row))}`).join("; ");
  return (
    <>
      <StackedColumns bars={bars} label={`Outcome of first promises. ${label}.`} />
      <ChartLegend parts={PARTS} />
      <details>
        <summary>Show as a table</summary>
        <FigureTable
          caption="Outcome of first promises, by quarter"
          columns={["Quarter", ...COLUMNS]}
        >
          {rows.map((row) => (
            <tr key={row.quarter}>
              <th scope="row">{row.quarter}</th>
              <Cells counts={row} />
            </tr>
          ))}
          <tr>
            <th scope="row">All</th>
            <Cells counts={all} />
          </tr>
        </FigureTable>
      </details>
    </>
  );
}

function ByProduct({ rows }: { rows: Promises["by_product"] }) {
  return (
    <FigureTable
      caption="Outcome of first promises, by product"
      columns={["Product", null, ...COLUMNS]}
    >
      {rows.map((row) => (
        <tr key={row.product_name}>
          <th scope="row">
            <Name text={row.product_name} />
          </th>
          <td class="picture">
            <StackedBar parts={partsOf(row)} most={row.due} />
          </td>
          <Cells counts={row} />
        </tr>
      ))}
    </FigureTable>
  );
}

function Cells({ counts }: { counts: Counts }) {
  return (
    <>
      <td>{counts.due}</td>
      {PARTS.map(({ kind }) => <td key={kind}>{counts[kind]}</td>)}
      <td>{shareInWords(counts.share_in_time)}</td>
      <td>{slipInWords(counts.median_slip_quarters)}</td>
    </>
  );
}

function partsOf(counts: Counts) {
  return PARTS.map(({ kind, label }) => ({ kind, label, count: counts[kind] }));
}

/** A share from 0 to 1 as a person reads it. */
export function shareInWords(share: number | null): string {
  return share === null ? "–" : `${Math.round(share * 100)} %`;
}

/** A slip in quarters as a person reads it. */
export function slipInWords(quarters: number | null): string {
  if (quarters === null) return "–";
  if (quarters === 0) return "0 quarters";
  return `${countOf(Math.abs(quarters), "quarter")} ${quarters > 0 ? "later" : "earlier"}`;
}
