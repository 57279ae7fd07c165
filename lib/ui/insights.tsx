import { Name } from "../../components/name.tsx";
import type { Insights } from "../insights/insights.ts";
import type { Site } from "../roadmap/sites.ts";
import { cleanName } from "../text/plain_text.ts";
import { countOf } from "../text/phrases.ts";
import {
  addQuarters,
  formatDay,
  formatPlanned,
  formatQuarter,
  quarterDays,
} from "../text/dates.ts";
import { Day } from "./dates.tsx";
import { shareInWords, slipInWords } from "./figures_in_words.ts";
import { ChartLegend, FigureTable, StackedBar } from "./charts.tsx";

type Promises = Insights["promises"];
type Counts = Omit<Promises["by_quarter"][number], "quarter">;

const PARTS = [
  { kind: "in_time", label: "On time" },
  { kind: "late", label: "Late" },
  { kind: "moved", label: "Moved" },
  { kind: "open", label: "Not yet" },
  { kind: "dropped", label: "Dropped" },
] as const;

/** The outcomes of one release, and of several, in a sentence. */
const OUTCOMES: Readonly<
  Record<(typeof PARTS)[number]["kind"], readonly [one: string, many: string]>
> = {
  in_time: ["shipped on time", "shipped on time"],
  late: ["came late", "came late"],
  moved: ["moved to another quarter", "moved to another quarter"],
  open: ["has not shipped yet", "have not shipped yet"],
  dropped: ["was dropped", "were dropped"],
};

/** More products are in the table only. */
const MAX_DRAWN = 7;

const COLUMNS = ["Promised", ...PARTS.map(({ label }) => label), "Share", "Typical delay"];

/** What happened to the latest promised quarter that can be judged, as a sentence; null: there is none. */
export function describePromises({ promises }: Insights): string | null {
  const last = promises.by_quarter.findLast(({ due }) => due > 0);
  if (!last) return null;
  const outcomes = partsOf(last).filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${OUTCOMES[kind][count === 1 ? 0 : 1]}`);
  const all = new Intl.ListFormat("en-GB").format(outcomes);
  return `Of ${countOf(last.due, "release")} promised for ${last.quarter}, ${all}.`;
}

/** Which releases count, and since when the sources were watched. */
export function WatchedSources({ insights: { promises, watched } }: { insights: Insights }) {
  const { too_early, not_watched } = promises;
  const periods = watched.map(({ source, from, to }) =>
    `${watched.length > 1 ? `${source} ` : ""}from ${formatDay(from)} to ${formatDay(to)}`
  );
  const left = [
    ...too_early > 0
      ? [`${countOf(too_early, "promise")} ${too_early === 1 ? "isn't" : "aren't"} due yet`]
      : [],
    ...not_watched > 0
      ? [`${not_watched} ${not_watched === 1 ? "was" : "were"} due before we started`]
      : [],
  ];
  if (watched.every(({ from, to }) => from === to) && left.length === 0) return null;
  return (
    <p class="quiet">
      {periods.length > 0 && `Watched ${periods.join("; ")}. `}
      {left.length > 0 && `${left.join("; ")}.`}
    </p>
  );
}

/** Outcome of first promises, by quarter and by product. */
export function PromisesSection({ insights }: { insights: Insights }) {
  const { promises } = insights;
  const { from, to, due, by_quarter, by_product } = promises;
  if (due === 0) return null;
  return (
    <div class="insight-columns">
      <section class="insight" aria-labelledby="promises">
        <h2 id="promises">What happened to the promises</h2>
        <p class="quiet">
          By the quarter first promised, {from} to{" "}
          {to}. On time means by its last day. Counts only what we saw ourselves.
        </p>
        <ByQuarter rows={fromFirst(by_quarter)} all={promises} />
      </section>
      <section class="insight" aria-labelledby="by-product">
        <h2 id="by-product">Which products keep their dates</h2>
        <p class="quiet">The same promises, by product.</p>
        <ByProduct rows={by_product} />
      </section>
    </div>
  );
}

/** Why there is no promise that can be judged. */
export function whyNothing({ as_of, watched, promises }: Insights): string {
  const first = watched.map(({ from }) => from).sort()[0];
  if (first === undefined) return "No promised quarter has ended yet. Figures appear once one has.";
  const next = quarterDays(addQuarters(formatQuarter(first), 1))!.first;
  if (next > as_of) {
    return `We started watching on ${formatDay(first)}. The first figures come on ${
      formatDay(next)
    }.`;
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
  const judged = rows.filter(({ due }) => due > 0);
  const most = Math.max(...judged.map(({ due }) => due));
  return (
    <>
      <ul class="bars">
        {judged.map((row) => (
          <li key={row.quarter}>
            <span>{row.quarter}</span> <StackedBar parts={partsOf(row)} most={most} />{" "}
            <span class="quiet">{row.in_time} of {row.due} on time</span>
          </li>
        ))}
      </ul>
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
      <ul class="bars">
        {drawn.map((row) => (
          <li key={row.product_name}>
            <Name text={row.product_name} /> <StackedBar parts={partsOf(row)} most={most} />{" "}
            <span class="quiet">{row.in_time} of {row.due} on time</span>
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

const SHIPPED_PARTS = [
  { kind: "shipped", label: "Shipped" },
  { kind: "planned", label: "Still planned" },
] as const;

/** What shipped in the current quarter, and what is still planned for it. */
export function ShippedSection({ shipped, site }: { shipped: Insights["shipped"]; site: Site }) {
  const { quarter, total, planned, by_product, releases } = shipped;
  if (total + planned === 0) return null;
  const most = Math.max(...by_product.map(({ shipped, planned }) => shipped + planned));
  return (
    <details class="insight">
      <summary>
        <h2 id="shipped">Shipped in {quarter}</h2>
      </summary>
      <p class="quiet">
        {`${countOf(total, "release")} shipped, ${planned} still planned for this quarter.`}
      </p>
      {by_product.length > 0 && (
        <>
          <ChartLegend parts={SHIPPED_PARTS} />
          <FigureTable
            caption={`Shipped in and planned for ${quarter}, by product`}
            columns={["Product", null, ...SHIPPED_PARTS.map(({ label }) => label)]}
          >
            {by_product.map(({ product_name, ...counts }) => (
              <tr key={product_name}>
                <th scope="row">
                  <Name text={product_name} />
                </th>
                <td class="picture">
                  <StackedBar
                    parts={SHIPPED_PARTS.map((part) => ({ ...part, count: counts[part.kind] }))}
                    most={most}
                  />
                </td>
                <td>{counts.shipped}</td>
                <td>{counts.planned}</td>
              </tr>
            ))}
          </FigureTable>
        </>
      )}
      {releases.length > 0 && (
        <>
          <h3>Recently shipped</h3>
          <FigureTable
            caption="Recently shipped releases"
            columns={["Release", "Shipped", "First promised"]}
          >
            {releases.map((release) => (
              <tr key={release.release_item_id}>
                <ReleaseName release={release} site={site} />
                <td>
                  <Day day={release.delivered_on} />
                </td>
                <td>
                  {release.first_promised ? formatPlanned(release.first_promised) : "No date"}
                </td>
              </tr>
            ))}
          </FigureTable>
        </>
      )}
    </details>
  );
}

/** Releases whose dates moved furthest. */
export function MovedSection({ moved, site }: { moved: Insights["moved"]; site: Site }) {
  const { total, releases } = moved;
  if (total === 0) return null;
  return (
    <details class="insight">
      <summary>
        <h2 id="moved">Most moved</h2>
      </summary>
      <p class="quiet">
        {`The dates of ${countOf(total, "release")} moved. These moved furthest.`}
      </p>
      <FigureTable
        caption="Releases whose dates moved furthest"
        columns={["Release", "Moves", "First planned", "Now", "Difference"]}
      >
        {releases.map((release) => (
          <tr key={release.release_item_id}>
            <ReleaseName release={release} site={site} />
            <td>{release.moves}</td>
            <td>{formatPlanned(release.first_release_date)}</td>
            <td>{release.release_date ? formatPlanned(release.release_date) : "No date"}</td>
            <td>{slipInWords(release.slip_quarters)}</td>
          </tr>
        ))}
      </FigureTable>
    </details>
  );
}

const DATED_PARTS = [
  { field: "median_days", kind: "shipped", label: "Days in preview" },
  { field: "median_days_so_far", kind: "planned", label: "Days so far" },
] as const;

/** How long releases stay in preview. */
export function PreviewSection({ preview }: { preview: Insights["preview"] }) {
  const { by_product, finished, current } = preview;
  if (finished + current === 0) return null;
  const most = Math.max(
    ...by_product.flatMap((row) => DATED_PARTS.map(({ field }) => row[field] ?? 0)),
  );
  return (
    <details class="insight">
      <summary>
        <h2 id="preview">Time in preview</h2>
      </summary>
      <p class="quiet">{describePreview(preview)}</p>
      {by_product.length > 0 && <ChartLegend parts={DATED_PARTS} />}
      {by_product.length > 0 && (
        <FigureTable
          caption="Time in preview, by product"
          columns={[
            "Product",
            null,
            "Left preview",
            "Median days",
            "In preview",
            "Median days so far",
          ]}
        >
          {by_product.map((row) => (
            <tr key={row.product_name}>
              <th scope="row">
                <Name text={row.product_name} />
              </th>
              <td class="picture">
                {DATED_PARTS.map(({ field, ...part }) =>
                  row[field] !== null && (
                    <StackedBar
                      key={field}
                      parts={[{ ...part, count: row[field] }]}
                      most={most}
                    />
                  )
                )}
              </td>
              <td>{row.finished}</td>
              <td>{row.median_days ?? "–"}</td>
              <td>{row.current}</td>
              <td>{row.median_days_so_far ?? "–"}</td>
            </tr>
          ))}
        </FigureTable>
      )}
    </details>
  );
}

function describePreview({ finished, current }: Insights["preview"]): string {
  const left = `${countOf(finished, "release")} left preview for general availability`;
  return `${left}; ${current} ${current === 1 ? "is" : "are"} still in preview.`;
}

/** The first cell of a release in a table of figures. */
function ReleaseName({ release, site }: {
  release: {
    release_item_id: string;
    feature_name: string;
    product_name: string;
    active: boolean;
  };
  site: Site;
}) {
  return (
    <th scope="row" class="named">
      <a href={`${site.path}/release/${release.release_item_id}`}>
        <Name text={cleanName(release.feature_name)} />
      </a>{" "}
      <span class="quiet">
        <Name text={release.product_name} />
        {!release.active && ", removed"}
      </span>
    </th>
  );
}
