import { formatDay, formatPlanned } from "../text/dates.ts";
import { describeDates, type SaidDate } from "../roadmap/changes/promise.ts";
import type { Variant } from "../roadmap/variant.ts";

const PLOT = { left: 80, right: 324, top: 10, bottom: 58, width: 336, height: 78 };
/** Labels nearer to each other than that would overlap: those of dates, and those of days. */
const ROOM = { date: 15, day: 64 };

/** The dates that were said over time, as a line: a step up is a move to a later date. */
export function PromiseLine({ said, today, variant }: {
  /** Oldest first. */
  said: readonly SaidDate[];
  today: string;
  variant: Variant;
}) {
  const dates = [...new Set(said.flatMap(({ date }) => date ?? []))].sort();
  const [earliest, latest, start] = [dates[0], dates.at(-1), said[0]?.since];
  if (!earliest || !latest || !start || earliest === latest) return null;
  const scale = (from: string, to: string, [low, high]: [number, number]) => (day: string) =>
    Math.round(
      low + (Date.parse(day) - Date.parse(from)) /
          Math.max(1, Date.parse(to) - Date.parse(from)) * (high - low),
    );
  const x = scale(start, today, [PLOT.left, PLOT.right]);
  const y = scale(earliest, latest, [PLOT.bottom, PLOT.top]);
  const moved = x(said.at(-1)!.since);
  const isMoveNamed = moved - PLOT.left > ROOM.day && PLOT.right - moved > ROOM.day;
  return (
    <svg
      class="promise-line"
      viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
      role="img"
      aria-label={`Planned date over time: ${describeDates(said, variant)}`}
    >
      {withRoom(dates, y).map((date) => (
        <g key={date}>
          <line class="grid" x1={PLOT.left} x2={PLOT.right} y1={y(date)} y2={y(date)} />
          <text class="end" x={PLOT.left - 8} y={y(date) + 4}>
            {formatPlanned(variant.formatDate(date))}
          </text>
          {" "}
        </g>
      ))}
      <path class="said" d={pathOf(said, { x, y, today })} />
      {said.map(({ since, date }) =>
        date && <circle key={since} cx={x(since)} cy={y(date)} r="4" />
      )}
      <text x={PLOT.left - 4} y={PLOT.height - 4}>{formatDay(start)}</text>{" "}
      {isMoveNamed && (
        <text class="middle" x={moved} y={PLOT.height - 4}>{formatDay(said.at(-1)!.since)}</text>
      )} <text class="end" x={PLOT.right} y={PLOT.height - 4}>today</text>
    </svg>
  );
}

/** The first, the last, and those between them that are not too near to another one. */
function withRoom(dates: readonly string[], y: (date: string) => number): string[] {
  const last = dates.at(-1)!;
  const named = dates.slice(0, 1);
  for (const date of dates.slice(1, -1)) {
    const isFree = [named.at(-1)!, last].every((other) =>
      Math.abs(y(date) - y(other)) >= ROOM.date
    );
    if (isFree) named.push(date);
  }
  return [...named, last];
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
