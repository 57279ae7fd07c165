import { Name } from "../../../islands/name.tsx";
import type { Insights } from "../../insights/insights.ts";
import { countOf } from "../../text/count_of.ts";
import { FigureTable } from "../figure_table.tsx";
import { ChartLegend, partsInWords, StackedBar, StackedColumns } from "../stacked_chart.tsx";

type Promises = Insights["promises"];
type Counts = Omit<Promises["by_quarter"][number], "quarter">;

const PARTS = [
  { kind: "earlier", label: "Earlier" },
  { kind: "in_quarter", label: "In that quarter" },
  { kind: "later", label: "Later" },
  { kind: "open", label: "Not yet" },
  { kind: "dropped", label: "Dropped" },
] as const;

const COLUMNS = ["Promised", ...PARTS.map(({ label }) => label), "Share", "Median slip"];

/** Outcome of first promises, by quarter and by product. */
export function PromisesSection({ promises }: { promises: Promises }) {
  const { from, to, due, by_quarter, by_product } = promises;
  return (
    <section class="insight" aria-labelledby="promises">
      <h2 id="promises">Delivered in the quarter first promised</h2>
      <p class="quiet">
        Releases first promised for a quarter from {from} to{" "}
        {to}, by outcome. The share is the part that was delivered in that quarter.
      </p>
      {due === 0
        ? (
          <p class="notice">
            No promised quarter has ended yet. Figures appear once one has.
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

/** Without the quarters before the first promise. */
function fromFirst(rows: Promises["by_quarter"]): Promises["by_quarter"] {
  return rows.slice(Math.max(0, rows.findIndex(({ due }) => due > 0)));
}

function ByQuarter({ rows, all }: { rows: Promises["by_quarter"]; all: Counts }) {
  const bars = rows.map((row) => ({
    name: row.quarter.slice(0, 2),
    group: row.quarter.slice(3),
    note: row.due === 0 ? "" : shareInWords(row.share_in_quarter),
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
      <td>{shareInWords(counts.share_in_quarter)}</td>
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
