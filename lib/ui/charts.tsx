import type { ComponentChildren } from "preact";
import { joinParts, withinSentence } from "../text/phrases.ts";
import { say } from "../text/messages.ts";

/** A part of a bar: how many, and what they are, which is also the class that colours it. */
interface ChartPart {
  kind: string;
  label: string;
  count: number;
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

/** The parts of a bar in words, such as `2 on time, 1 late`. */
function partsInWords(parts: readonly ChartPart[]): string {
  const words = parts.filter(({ count }) => count > 0)
    .map(({ label, count }) => say("figure.part", { count, label: withinSentence(label) }));
  return joinParts(words) || say("figure.none");
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
                {column ?? <span class="visually-hidden">{say("figure.drawn")}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
