import { formatDay, formatPlanned } from "../text/dates.ts";
import { describeDates, type SaidDate } from "../roadmap/changes/promise.ts";
import type { Variant } from "../roadmap/variant.ts";

const PLOT = { left: 8, right: 252, top: 14, bottom: 74, width: 320, height: 96 };

/** The dates that were said over time, as a line: a step up is a move to a later date. */
export function PromiseLine({ said, today, variant }: {
  /** Oldest first. */
  said: readonly SaidDate[];
  today: string;
  variant: Variant;
}) {
  const dates = said.flatMap(({ date }) => date ?? []);
  const [earliest, latest] = [...dates].sort().filter((_, place, { length }) =>
    place === 0 || place === length - 1
  );
  const start = said[0]?.since;
  if (!earliest || !latest || !start || earliest === latest) return null;
  const scale = (from: string, to: string, [low, high]: [number, number]) => (day: string) =>
    Math.round(
      low + (Date.parse(day) - Date.parse(from)) /
          Math.max(1, Date.parse(to) - Date.parse(from)) * (high - low),
    );
  const x = scale(start, today, [PLOT.left, PLOT.right]);
  const y = scale(earliest, latest, [PLOT.bottom, PLOT.top]);
  const show = (date: string) => formatPlanned(variant.formatDate(date));
  return (
    <svg
      class="promise-line"
      viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
      role="img"
      aria-label={`Planned date over time: ${describeDates(said, variant)}`}
    >
      {[earliest, latest].map((date) => (
        <g key={date}>
          <line class="grid" x1={PLOT.left} x2={PLOT.right} y1={y(date)} y2={y(date)} />
          <text x={PLOT.right + 8} y={y(date) + 4}>{show(date)}</text>
          {" "}
        </g>
      ))}
      <path class="said" d={pathOf(said, { x, y, today })} />
      {said.map(({ since, date }) =>
        date && <circle key={since} cx={x(since)} cy={y(date)} r="4" />
      )}
      <text x={PLOT.left} y={PLOT.height - 4}>{formatDay(start)}</text>{" "}
      <text class="end" x={PLOT.right} y={PLOT.height - 4}>today</text>
    </svg>
  );
}

/** Steps from date to date; a time without a date is a gap. */
function pathOf(said: readonly SaidDate[], { x, y, today }: {
  x(day: string): number;
  y(date: string): number;
  today: string;
}): string {
  return said.map(({ since, date }, place) => {
    if (date === null) return "";
    const isGoingOn = place > 0 && said[place - 1]!.date !== null;
    const end = said[place + 1]?.since ?? today;
    return `${isGoingOn ? "L" : "M"}${x(since)} ${y(date)}H${x(end)}`;
  }).join("");
}
