import type { QuarterCount } from "../roadmap/item.ts";

const BEFORE = 4;
const AFTER = 5;

const BAR = { step: 34, width: 20, height: 110, base: 128 };

/** A small chart of the quarters around today, and the numbers of more of them as a table. */
export function Overview(
  { counts, quarter }: { counts: readonly QuarterCount[]; quarter: string },
) {
  if (counts.length === 0) return null;
  const shown = quartersAround(quarter).map((name) =>
    counts.find((one) => one.quarter === name) ?? { quarter: name, shipped: 0, planned: 0 }
  );
  return (
    <section class="overview" aria-labelledby="overview-heading">
      <h2 id="overview-heading">By quarter</h2>
      <Chart counts={shown} current={quarter} />
      <p class="legend" aria-hidden="true">
        <span class="key shipped">Shipped</span>
        <span class="key planned">Planned</span>
      </p>
      <details>
        <summary>Numbers as a table</summary>
        <table>
          <caption class="visually-hidden">Shipped and planned releases by quarter</caption>
          <thead>
            <tr>
              <th scope="col">Quarter</th>
              <th scope="col">Shipped</th>
              <th scope="col">Planned</th>
            </tr>
          </thead>
          <tbody>
            {counts.map(({ quarter, shipped, planned }) => (
              <tr key={quarter}>
                <th scope="row">{quarter}</th>
                <td>{shipped}</td>
                <td>{planned}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

function Chart({ counts, current }: { counts: readonly QuarterCount[]; current: string }) {
  const most = Math.max(1, ...counts.map(({ shipped, planned }) => shipped + planned));
  const width = counts.length * BAR.step;
  return (
    <svg class="chart" viewBox={`0 0 ${width} 164`} role="img" aria-label={inWords(counts)}>
      <line class="axis" x1="0" x2={width} y1={BAR.base} y2={BAR.base} />
      {counts.map(({ quarter, shipped, planned }, place) => {
        const x = place * BAR.step + (BAR.step - BAR.width) / 2;
        const [low, high] = [shipped, planned].map((count) => count / most * BAR.height);
        const middle = x + BAR.width / 2;
        const showsYear = place === 0 || quarter.startsWith("Q1");
        return (
          <g key={quarter} class={quarter === current ? "quarter now" : "quarter"}>
            <title>{`${quarter}: ${shipped} shipped, ${planned} planned`}</title>
            <rect
              class="shipped"
              x={x}
              y={BAR.base - low!}
              width={BAR.width}
              height={low}
            />
            <rect
              class="planned"
              x={x}
              y={BAR.base - low! - high!}
              width={BAR.width}
              height={high}
            />
            {shipped + planned > 0 && (
              <text class="number" x={middle} y={BAR.base - low! - high! - 4}>
                {shipped + planned}
              </text>
            )}
            <text x={middle} y={BAR.base + 15}>{quarter.slice(0, 2)}</text>
            {showsYear && <text x={middle} y={BAR.base + 30}>{quarter.slice(3)}</text>}
          </g>
        );
      })}
    </svg>
  );
}

function quartersAround(quarter: string): string[] {
  const place = Number(quarter.slice(3)) * 4 + Number(quarter[1]) - 1;
  return Array.from({ length: BEFORE + 1 + AFTER }, (_, index) => {
    const one = place - BEFORE + index;
    return `Q${one % 4 + 1} ${Math.floor(one / 4)}`;
  });
}

function inWords(counts: readonly QuarterCount[]): string {
  const filled = counts.filter(({ shipped, planned }) => shipped + planned > 0);
  const words = filled.map(({ quarter, shipped, planned }) =>
    `${quarter}: ${shipped} shipped, ${planned} planned`
  );
  return `Releases by quarter. ${words.join("; ") || "None in these quarters"}.`;
}
