import type { QuarterCount } from "../../lib/roadmap/item.ts";
import { addQuarters, placeOfQuarter, showQuarter } from "../../lib/text/dates.ts";
import { searchLink, type SearchQuery } from "../search/search_query.ts";
import { say } from "../../lib/text/say.ts";

const BEFORE = 4;
const SHOWN = 10;
const BAR = { step: 34, width: 20, height: 84, base: 100 };

interface QuarterChartProps {
  path: string;
  quarters: readonly QuarterCount[];
  /** The quarter of today. */
  current: string;
  query: SearchQuery;
  onPick(part: Partial<SearchQuery>): void;
}

/**
 * A chart of the quarters around today, or around those that are chosen: each bar leads to its
 * quarter. The numbers of all of them are a table as well.
 */
export function QuarterChart({ path, quarters, current, query, onPick }: QuarterChartProps) {
  const link = (quarter: string) => {
    const isOnly = query.release_date_from === quarter && query.release_date_to === quarter;
    const bound = isOnly ? "" : quarter;
    const part = { release_date_from: bound, release_date_to: bound, page: 1 };
    return {
      ...searchLink(path, { ...query, ...part }, () => onPick(part)),
      "aria-current": isOnly ? "true" as const : undefined,
    };
  };
  return (
    <>
      <Chart counts={fill(quarters, firstShown(query, current))} current={current} link={link} />
      <p class="legend" aria-hidden="true">
        <span class="key shipped">{say("tone.shipped")}</span>{" "}
        <span class="key planned">{say("tone.planned")}</span>
      </p>
      <details class="numbers">
        <summary>{say("chart.show_as_a_table")}</summary>
        <table>
          <caption class="visually-hidden">{say("chart.releases_by_quarter")}</caption>
          <thead>
            <tr>
              <th scope="col">{say("insights.quarter")}</th>
              <th scope="col">{say("tone.shipped")}</th>
              <th scope="col">{say("tone.planned")}</th>
            </tr>
          </thead>
          <tbody>
            {quarters.map(({ quarter, shipped, planned }) => (
              <tr key={quarter}>
                <th scope="row">{showQuarter(quarter)}</th>
                <td key={`shipped ${shipped}`}>{shipped}</td>
                <td key={`planned ${planned}`}>{planned}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function Chart({ counts, current, link }: {
  counts: readonly QuarterCount[];
  current: string;
  link(quarter: string): object;
}) {
  const most = Math.max(1, ...counts.map(({ shipped, planned }) => shipped + planned));
  const width = counts.length * BAR.step;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${width} 134`}
      role="group"
      aria-label={say("chart.releases_by_quarter")}
    >
      <line class="axis" x1="0" x2={width} y1={BAR.base} y2={BAR.base} />
      {counts.map(({ quarter, shipped, planned }, place) => {
        const left = place * BAR.step;
        const x = left + (BAR.step - BAR.width) / 2;
        const low = shipped / most * BAR.height;
        const high = planned / most * BAR.height;
        const middle = left + BAR.step / 2;
        const top = BAR.base - low - high;
        const words = say("chart.quarter", {
          quarter: showQuarter(quarter),
          shipped,
          planned,
        });
        return (
          <g key={quarter} class={quarter === current ? "quarter now" : "quarter"}>
            <a aria-label={words} {...link(quarter)}>
              <title key={words}>{words}</title>{" "}
              <rect class="target" x={left} width={BAR.step} height="134" rx="6" />
              <rect class="shipped" x={x} y={BAR.base - low} width={BAR.width} height={low} />
              <rect class="planned" x={x} y={top} width={BAR.width} height={high} />
            </a>
            <g aria-hidden="true">
              {shipped + planned > 0 && (
                <text key={shipped + planned} class="number" x={middle} y={top - 4}>
                  {shipped + planned}
                </text>
              )}{" "}
              <text key={quarter} x={middle} y={BAR.base + 15}>
                {say("date.quarter_only", { quarter: quarter[1]! })}
              </text>{" "}
              {(place === 0 || quarter.startsWith("Q1")) && (
                <text x={middle} y={BAR.base + 30}>{quarter.slice(3)}</text>
              )}
              {" "}
            </g>
          </g>
        );
      })}
    </svg>
  );
}

function firstShown({ release_date_from, release_date_to }: SearchQuery, current: string): string {
  const usual = addQuarters(current, -BEFORE);
  const chosen = [release_date_from, release_date_to].find((bound) => bound.startsWith("Q"));
  if (chosen === undefined) return usual;
  const beyond = placeOfQuarter(chosen) - placeOfQuarter(usual);
  return beyond >= 0 && beyond < SHOWN ? usual : addQuarters(chosen, -BEFORE);
}

function fill(counts: readonly QuarterCount[], first: string): QuarterCount[] {
  return Array.from({ length: SHOWN }, (_, index) => {
    const quarter = addQuarters(first, index);
    return counts.find((one) => one.quarter === quarter) ?? { quarter, shipped: 0, planned: 0 };
  });
}
