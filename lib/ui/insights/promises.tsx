import { Name } from "../../../components/name.tsx";
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

/** The outcomes in a sentence. */
const OUTCOMES: Readonly<Record<(typeof PARTS)[number]["kind"], string>> = {
  in_time: "shipped in time",
  late: "came late",
  moved: "moved to another quarter",
  open: "have not shipped yet",
  dropped: "were dropped",
};

/** More products are in the table only. */
const MAX_DRAWN = 7;

const COLUMNS = ["Promised", ...PARTS.map(({ label }) => label), "Share", "Median slip"];

/** What became of the latest promised quarter that can be judged, as a sentence; null: there is none. */
export function describePromises({ promises }: Insights): string | null {
  const last = promises.by_quarter.findLast(({ due }) => due > 0);
  if (!last) return null;
  const outcomes = partsOf(last).filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${OUTCOMES[kind]}`);
  const all = new Intl.ListFormat("en-GB").format(outcomes);
  return `Of ${countOf(last.due, "release")} promised for ${last.quarter}, ${all}.`;
}

/** Which releases count, and since when the sources were watched. */
export function WatchedSources({ insights: { promises, watched } }: { insights: Insights }) {
  const { too_early, not_watched } = promises;
  return (
    <p class="quiet">
      {watched.length > 0 && `Watched: ${
        watched.map(({ source, from, to }) =>
          `${watched.length > 1 ? `${source} ` : ""}from ${formatDay(from)} to ${formatDay(to)}`
        ).join("; ")
      }. `}
      {too_early + not_watched > 0 &&
        `Not counted: ${too_early} too early to judge, ${not_watched} not watched then.`}
    </p>
  );
}

/** Outcome of first promises, by quarter and by product. */
export function PromisesSection({ insights }: { insights: Insights }) {
  const { promises } = insights;
  const { from, to, due, by_quarter, by_product } = promises;
  if (due === 0) return <p class="notice">{whyNothing(insights)}</p>;
  return (
    <div class="insight-columns">
      <section class="insight" aria-labelledby="promises">
        <h2 id="promises">Where the promises went</h2>
        <p class="quiet">
          By the quarter first promised, {from} to{" "}
          {to}. In time means by its last day. Only what was seen counts.
        </p>
        <ByQuarter rows={fromFirst(by_quarter)} all={promises} />
      </section>
      <section class="insight" aria-labelledby="by-product">
        <h2 id="by-product">Whose dates hold</h2>
        <p class="quiet">Outcome of the same promises, by product.</p>
        <ByProduct rows={by_product} />
      </section>
    </div>
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
  const drawn = rows.toSorted((a, b) => b.due - a.due).slice(0, MAX_DRAWN);
  const most = Math.max(...drawn.map(({ due }) => due));
  return (
    <>
      <ul class="product-bars">
        {drawn.map((row) => (
          <li key={row.product_name}>
            <Name text={row.product_name} /> <StackedBar parts={partsOf(row)} most={most} />{" "}
            <span class="quiet">{row.in_time} of {row.due} in time</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>Show {rows.length > drawn.length ? "all products" : "as a table"}</summary>
        <FigureTable
          caption="Outcome of first promises, by product"
          columns={["Product", ...COLUMNS]}
        >
          {rows.map((row) => (
            <tr key={row.product_name}>
              <th scope="row">
                <Name text={row.product_name} />
              </th>
              <Cells counts={row} />
            </tr>
          ))}
        </FigureTable>
      </details>
    </>
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
