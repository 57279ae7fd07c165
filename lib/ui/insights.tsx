import { Name } from "../../components/name.tsx";
import type { Insights } from "../insights/insights.ts";
import type { Site } from "../roadmap/sites.ts";
import { joinClauses, joinSentences, listInWords } from "../text/phrases.ts";
import {
  addQuarters,
  formatDay,
  formatPlanned,
  formatQuarter,
  quarterDays,
  showPlanned,
  showQuarter,
} from "../text/dates.ts";
import { Day } from "./dates.tsx";
import { shareInWords, slipInWords } from "./figures_in_words.ts";
import { ChartLegend, FigureTable, StackedBar } from "./charts.tsx";
import { ReleaseLink } from "./release_parts.tsx";
import { say } from "../text/messages.ts";

type Promises = Insights["promises"];
type Counts = Omit<Promises["by_quarter"][number], "quarter">;

const KINDS = ["in_time", "late", "moved", "open", "dropped"] as const;

/** The parts of a bar, with their labels. */
const listParts = () => KINDS.map((kind) => ({ kind, label: say(`promised.${kind}`) }));

/** More products are in the table only. */
const MAX_DRAWN = 7;
const listColumns = () => [
  say("promised.promised"),
  ...listParts().map(({ label }) => label),
  say("promised.share"),
  say("promised.delay"),
];

/** What happened to the latest promised quarter that can be judged, as a sentence; null: there is none. */
export function describePromises({ promises }: Insights): string | null {
  const last = promises.by_quarter.findLast(({ due }) => due > 0);
  if (!last) return null;
  const outcomes = partsOf(last).filter(({ count }) => count > 0)
    .map(({ kind, count }) => say(`promised_outcome.${kind}`, { count }));
  return say("insights.lead", {
    due: last.due,
    quarter: showQuarter(last.quarter),
    outcomes: listInWords(outcomes),
  });
}

/** Which releases count, and since when the sources were watched. */
export function WatchedSources({ insights: { promises, watched } }: { insights: Insights }) {
  const { too_early, not_watched } = promises;
  const periods = watched.map(({ source, from, to }) => {
    const days = { from: formatDay(from), to: formatDay(to) };
    if (watched.length === 1) return say("insights.days_watched", days);
    return say("insights.source_watched", { source, ...days });
  });
  const left = [
    ...too_early > 0 ? [say("insights.too_early", { count: too_early })] : [],
    ...not_watched > 0 ? [say("insights.not_watched", { count: not_watched })] : [],
  ];
  if (watched.every(({ from, to }) => from === to) && left.length === 0) return null;
  const sentences = [
    ...periods.length > 0 ? [say("insights.watched", { periods: joinClauses(periods) })] : [],
    ...left.length > 0 ? [say("list.sentence", { words: joinClauses(left) })] : [],
  ];
  return <p class="quiet">{joinSentences(sentences)}</p>;
}

/** Outcome of first promises, by quarter and by product. */
export function PromisesSection({ insights }: { insights: Insights }) {
  const { promises } = insights;
  const { from, to, due, by_quarter, by_product } = promises;
  if (due === 0) return null;
  return (
    <div class="insight-columns">
      <section class="insight" aria-labelledby="promises">
        <h2 id="promises">{say("insights.what_happened_to_the")}</h2>
        <p class="quiet">
          {say("insights.by_quarter", {
            from: showQuarter(from),
            to: showQuarter(to),
          })}
        </p>
        <ByQuarter rows={fromFirst(by_quarter)} all={promises} />
      </section>
      <section class="insight" aria-labelledby="by-product">
        <h2 id="by-product">{say("insights.which_products_keep_their")}</h2>
        <p class="quiet">{say("insights.the_same_promises_by")}</p>
        <ByProduct rows={by_product} />
      </section>
    </div>
  );
}

/** Why there is no promise that can be judged. */
export function whyNothing({ as_of, watched, promises }: Insights): string {
  const first = watched.map(({ from }) => from).sort()[0];
  if (first === undefined) return say("insights.none_ended");
  const next = quarterDays(addQuarters(formatQuarter(first), 1))!.first;
  if (next > as_of) {
    return say("insights.first_figures", {
      first: formatDay(first),
      next: formatDay(next),
    });
  }
  return promises.too_early > 0 ? say("insights.not_read") : say("insights.none_promised");
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
            <span>{showQuarter(row.quarter)}</span> <StackedBar parts={partsOf(row)} most={most} />
            {" "}
            <span class="quiet">{onTime(row)}</span>
          </li>
        ))}
      </ul>
      <ChartLegend parts={listParts()} />
      <details>
        <summary>{say("chart.show_as_a_table")}</summary>
        <FigureTable
          caption={say("insights.outcome_of_first_promises")}
          columns={[say("insights.quarter"), ...listColumns()]}
        >
          {rows.map((row) => (
            <tr key={row.quarter}>
              <th scope="row">{showQuarter(row.quarter)}</th>
              <Cells counts={row} />
            </tr>
          ))}
          <tr>
            <th scope="row">{say("insights.all")}</th>
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
            <span class="quiet">{onTime(row)}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>
          {rows.length > drawn.length ? say("insights.show_all") : say("chart.show_as_a_table")}
        </summary>
        <FigureTable
          caption={say("insights.outcome_by_product")}
          columns={[say("field.product_name"), ...listColumns()]}
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

function onTime({ in_time, due }: Counts): string {
  return say("insights.on_time", { kept: in_time, due });
}

function Cells({ counts }: { counts: Counts }) {
  return (
    <>
      <td>{counts.due}</td>
      {KINDS.map((kind) => <td key={kind}>{counts[kind]}</td>)}
      <td>{shareInWords(counts.share_in_time)}</td>
      <td>{slipInWords(counts.median_slip_quarters)}</td>
    </>
  );
}

function partsOf(counts: Counts) {
  return listParts().map(({ kind, label }) => ({ kind, label, count: counts[kind] }));
}

const SHIPPED = { shipped: "tone.shipped", planned: "insights.still_planned" } as const;
const listShipped = () =>
  (["shipped", "planned"] as const).map((kind) => ({ kind, label: say(SHIPPED[kind]) }));

/** What shipped in the current quarter, and what is still planned for it. */
export function ShippedSection({ shipped, site }: { shipped: Insights["shipped"]; site: Site }) {
  const { quarter, total, planned, by_product, releases } = shipped;
  if (total + planned === 0) return null;
  const most = Math.max(...by_product.map(({ shipped, planned }) => shipped + planned));
  const parts = listShipped();
  return (
    <details class="insight">
      <summary>
        <h2 id="shipped">{say("insights.shipped_in", { quarter: showQuarter(quarter) })}</h2>
      </summary>
      <p class="quiet">
        {say("insights.shipped_and_planned", { total, planned })}
      </p>
      {by_product.length > 0 && (
        <>
          <ChartLegend parts={parts} />
          <FigureTable
            caption={say("insights.shipped_by_product", { quarter: showQuarter(quarter) })}
            columns={[say("field.product_name"), null, ...parts.map(({ label }) => label)]}
          >
            {by_product.map(({ product_name, ...counts }) => (
              <tr key={product_name}>
                <th scope="row">
                  <Name text={product_name} />
                </th>
                <td class="picture">
                  <StackedBar
                    parts={parts.map((part) => ({ ...part, count: counts[part.kind] }))}
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
          <h3>{say("insights.recently_shipped")}</h3>
          <FigureTable
            caption={say("insights.recently_shipped")}
            columns={[
              say("insights.release"),
              say("kind.shipped"),
              say("insights.first_promised"),
            ]}
          >
            {releases.map((release) => (
              <tr key={release.release_item_id}>
                <ReleaseName release={release} site={site} />
                <td>
                  <Day day={release.delivered_on} />
                </td>
                <td>
                  {showPlanned(release.first_promised)}
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
        <h2 id="moved">{say("insights.most_moved")}</h2>
      </summary>
      <p class="quiet">
        {say("insights.moved", { total })}
      </p>
      <FigureTable
        caption={say("insights.most_moved")}
        columns={[
          say("insights.release"),
          say("insights.moves"),
          say("insights.first_planned"),
          say("insights.now"),
          say("insights.difference"),
        ]}
      >
        {releases.map((release) => (
          <tr key={release.release_item_id}>
            <ReleaseName release={release} site={site} />
            <td>{release.moves}</td>
            <td>{formatPlanned(release.first_release_date)}</td>
            <td>{showPlanned(release.release_date)}</td>
            <td>{slipInWords(release.slip_quarters)}</td>
          </tr>
        ))}
      </FigureTable>
    </details>
  );
}

const listDated = () => [
  { field: "median_days", kind: "shipped", label: say("insights.days_in_preview") } as const,
  { field: "median_days_so_far", kind: "planned", label: say("insights.days_so_far") } as const,
];

/** How long releases stay in preview. */
export function PreviewSection({ preview }: { preview: Insights["preview"] }) {
  const { by_product, finished, current } = preview;
  if (finished + current === 0) return null;
  const parts = listDated();
  const most = Math.max(
    ...by_product.flatMap((row) => parts.map(({ field }) => row[field] ?? 0)),
  );
  return (
    <details class="insight">
      <summary>
        <h2 id="preview">{say("insights.time_in_preview")}</h2>
      </summary>
      <p class="quiet">{say("insights.preview", { finished, current })}</p>
      {by_product.length > 0 && <ChartLegend parts={parts} />}
      {by_product.length > 0 && (
        <FigureTable
          caption={say("insights.time_in_preview")}
          columns={[
            say("field.product_name"),
            null,
            say("insights.left_preview"),
            say("insights.median_days"),
            say("insights.in_preview"),
            say("insights.median_days_so_far"),
          ]}
        >
          {by_product.map((row) => (
            <tr key={row.product_name}>
              <th scope="row">
                <Name text={row.product_name} />
              </th>
              <td class="picture">
                {parts.map(({ field, ...part }) =>
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

/** The first cell of a release in a table of figures. */
function ReleaseName({ release, site }: {
  release: Record<"release_item_id" | "feature_name" | "product_name", string> & {
    active: boolean;
  };
  site: Site;
}) {
  return (
    <th scope="row" class="named">
      <ReleaseLink release={release} path={site.path} />{" "}
      <span class="quiet">
        <Name text={release.product_name} />
        {!release.active && say("insights.removed")}
      </span>
    </th>
  );
}
