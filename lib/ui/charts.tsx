import type { ComponentChildren } from "preact";

/** A part of a bar: how many, and what they are, which is also the class that colours it. */
interface ChartPart {
  kind: string;
  label: string;
  count: number;
}

/** A bar with its name, and a few words above it. */
interface ChartBar {
  name: string;
  /** Shown below the name, where it differs from the bar before. */
  group: string;
  note: string;
  parts: readonly ChartPart[];
}

const COLUMN = { step: 48, width: 28, height: 120, base: 142 };

/** A chart of few bars keeps its size. */
const FEWEST_COLUMNS = 8;

/** Bars side by side, each a stack of its parts; the words of `label` stand for the whole. */
export function StackedColumns({ bars, label }: { bars: readonly ChartBar[]; label: string }) {
  const most = Math.max(1, ...bars.map(({ parts }) => sumOf(parts)));
  const width = Math.max(bars.length, FEWEST_COLUMNS) * COLUMN.step;
  return (
    <svg
      class="chart columns"
      viewBox={`0 0 ${width} 178`}
      width={width}
      role="img"
      aria-label={label}
    >
      <line class="axis" x1="0" x2={bars.length * COLUMN.step} y1={COLUMN.base} y2={COLUMN.base} />
      {bars.map(({ name, group, note, parts }, place) => {
        const x = place * COLUMN.step + (COLUMN.step - COLUMN.width) / 2;
        const middle = x + COLUMN.width / 2;
        const height = sumOf(parts) / most * COLUMN.height;
        return (
          <g key={`${name} ${group}`}>
            <title>{`${name} ${group}: ${partsInWords(parts)}`}</title>{" "}
            {pieces(parts, height).map(({ kind, start, length }) => (
              <rect
                key={kind}
                class={`part-${kind}`}
                x={x}
                y={round(COLUMN.base - start - length)}
                width={COLUMN.width}
                height={length}
              />
            ))}
            {note && (
              <text class="number" x={middle} y={round(COLUMN.base - height - 5)}>{note}</text>
            )} <text x={middle} y={COLUMN.base + 15}>{name}</text>{" "}
            {group !== bars[place - 1]?.group && (
              <text x={middle} y={COLUMN.base + 30}>{group}</text>
            )}
            {" "}
          </g>
        );
      })}
    </svg>
  );
}

const BAR = { width: 200, height: 14 };

/** One bar that lies, whole where it has as many as `most`. */
export function StackedBar({ parts, most }: { parts: readonly ChartPart[]; most: number }) {
  const length = sumOf(parts) / Math.max(1, most) * BAR.width;
  return (
    <svg
      class="lying-bar"
      viewBox={`0 0 ${BAR.width} ${BAR.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={partsInWords(parts)}
    >
      {pieces(parts, length).map(({ kind, start, length }) => (
        <rect
          key={kind}
          class={`part-${kind}`}
          x={start}
          y="0.5"
          width={length}
          height={BAR.height - 1}
        />
      ))}
    </svg>
  );
}

/** What the colours of a chart mean; tables and labels say the same in words. */
export function ChartLegend({ parts }: { parts: readonly Omit<ChartPart, "count">[] }) {
  return (
    <p class="legend" aria-hidden="true">
      {parts.map(({ kind, label }) => (
        <span key={kind} class="legend-part">
          <svg viewBox="0 0 12 12" width="12" height="12">
            <rect class={`part-${kind}`} x="0.5" y="0.5" width="11" height="11" />
          </svg>
          {label}
          {" "}
        </span>
      ))}
    </p>
  );
}

/**
 * The parts of a bar in words.
 *
 * ```ts
 * const words = partsInWords([{ kind: "a", label: "Early", count: 2 }, { kind: "b", label: "Late", count: 0 }]);
 * if (words !== "2 early") throw new Error(words);
 * ```
 */
export function partsInWords(parts: readonly ChartPart[]): string {
  const words = parts.filter(({ count }) => count > 0)
    .map(({ label, count }) => `${count} ${label[0]!.toLowerCase()}${label.slice(1)}`);
  return words.join(", ") || "none";
}

/** Where each part that there is begins, and how long it is. */
function pieces(parts: readonly ChartPart[], whole: number) {
  const all = sumOf(parts);
  let start = 0;
  return parts.filter(({ count }) => count > 0).map(({ kind, count }) => {
    const piece = { kind, start: round(start), length: round(count / all * whole) };
    start += count / all * whole;
    return piece;
  });
}

function sumOf(parts: readonly ChartPart[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** A table of figures that scrolls sideways on a small screen, by keyboard as well. */
export function FigureTable({ caption, columns, children }: {
  caption: string;
  /** Their headings; null: a drawing of the figures beside it. */
  columns: readonly (string | null)[];
  /** The rows. */
  children: ComponentChildren;
}) {
  return (
    <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class="figures">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column ?? <span class="visually-hidden">Drawn</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
