import { Name } from "../../components/name.tsx";
import type { DateChanges, History } from "../roadmap/changes/history_sql.ts";
import {
  type DateChange,
  describeDates,
  describeSlip,
  followDates,
  isLater,
  type SaidDate,
} from "../roadmap/changes/promise.ts";
import type { Item } from "../roadmap/item.ts";
import { isStated } from "../roadmap/stated.ts";
import { listDates, type Variant } from "../roadmap/variant.ts";
import { formatDay, formatNarrow, formatPlanned, showPlanned } from "../text/dates.ts";
import { say } from "../text/messages.ts";
import { joinParts, toLine } from "../text/phrases.ts";
import { shortenTo, textWidth } from "../text/text_width.ts";
import { Day } from "./dates.tsx";
import { isOverdue, labelOf, shippedOn } from "./release_parts.tsx";

interface DateCardProps {
  item: Item;
  history: History;
  /** The changes of its dates. */
  dates: DateChanges;
  /** `YYYY-MM-DD` */
  today: string;
  variant: Variant;
}

/** A date of a release, and what was said of it since. */
interface Promised {
  /** Null: the release date. */
  name: string | null;
  date: string | null;
  changes: readonly DateChange[];
  said: SaidDate[];
}

/** When a release is planned or has shipped, its named dates, and how they have moved. */
export function DateCard(props: DateCardProps) {
  const { item, today, variant } = props;
  const promised = listPromised(props);
  return (
    <section class="card date-card" aria-label={say("release.planned_date")}>
      {promised.length === 1
        ? (
          <div>
            <p class="quiet">{labelOf(item)}</p>
            <p class="date-value">
              <ReleaseDate {...props} />
            </p>
            <PlannedFor {...props} />
            <Moves promised={promised[0]!} firstSeen={props.history.first_seen} variant={variant} />
          </div>
        )
        : (
          <dl class="dates">
            {promised.map((one) => (
              <div key={one.name}>
                {one.name === null
                  ? (
                    <>
                      <dt>{nameOf(item)}</dt>
                      <dd class="date-value">
                        <ReleaseDate {...props} />
                      </dd>
                    </>
                  )
                  : (
                    <>
                      <dt>
                        <Name text={toLine(one.name)} />
                      </dt>
                      <dd>{formatPlanned(variant.formatDate(one.date!))}</dd>
                    </>
                  )}
                <dd>
                  {one.name === null && <PlannedFor {...props} />}
                  <Moves promised={one} variant={variant} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      <PromiseLines
        item={item}
        promised={promised.filter(({ said }) => said.some(({ date }) => date !== null))}
        today={today}
        variant={variant}
      />
    </section>
  );
}

/** The dates of a release in the order of their days; a release date that it lacks comes last. */
function listPromised(
  { item, history, dates: { release, named } }: DateCardProps,
): Promised[] {
  const since = history.first_seen ?? item.last_modified;
  const toPromised = (name: string | null, date: string | null, changes: DateChange[]) => (
    { name, date, changes, said: followDates(changes, since, date) }
  );
  const promised = listDates(item.dates)
    .map(([name, day]) => toPromised(name, day, named.get(name) ?? []));
  const own = item.release_date;
  const place = promised.findIndex(({ date }) => own !== null && date! > own);
  promised.splice(place < 0 ? promised.length : place, 0, toPromised(null, own, release));
  return promised;
}

/** What the release date of a release with others is: what is released, or what became of it. */
function nameOf(item: Item): string {
  const { active, tone, release_type } = item;
  const isAwaited = active && tone !== "shipped" && tone !== "stopped";
  return isAwaited && isStated(release_type) ? toLine(release_type) : labelOf(item);
}

function ReleaseDate({ item, history, today, variant }: DateCardProps) {
  const shipped = shippedOn(item, history, variant);
  return (
    <>
      {shipped
        ? <Day day={shipped} />
        : showPlanned(item.release_date && variant.formatDate(item.release_date))}{" "}
      {isOverdue(item, today) && <span class="badge kind-slipped">{say("release.overdue")}</span>}
    </>
  );
}

/** When a release that has shipped was planned. */
function PlannedFor({ item, history, variant }: DateCardProps) {
  if (!shippedOn(item, history, variant) || item.release_date === null) return null;
  const date = formatPlanned(variant.formatDate(item.release_date));
  return <p class="quiet">{say("release.planned_for", { date })}</p>;
}

/** How a date has moved. */
function Moves({ promised: { date, changes, said }, firstSeen, variant }: {
  promised: Promised;
  /** Of a release with this date only: the day of the first import that had it; null: no import did. */
  firstSeen?: string | null;
  variant: Variant;
}) {
  const slip = describeSlip(changes, variant);
  if (slip !== null) {
    return <p class={isLater(changes, date) ? "promise late" : "promise"}>{slip}</p>;
  }
  if (date === null || firstSeen === null) return null;
  const since = firstSeen ?? said.find(({ date }) => date !== null)!.since;
  const words = firstSeen === undefined ? "promise.not_moved_since" : "promise.not_moved";
  return <p class="quiet">{say(words, { day: formatDay(since) })}</p>;
}

const PLOT = { left: 80, right: 324, top: 10, bottom: 58, width: 336, height: 78 };
/**
 * Labels nearer to each other than that would overlap: those of dates, and that of a move and those
 * of the first day and of today.
 */
const ROOM = { date: 15, first: 104, today: 74 };
/**
 * What each further line makes a drawing higher, and the widest name beside its end; bold letters of
 * wide fonts take as much as ordinary ones of this size.
 */
const LINE = { height: 24, name: 104, gap: 8, size: 12 * 1.4, colours: 4 };

/** The dates that were said over time, each as a line: a step up is a move to a later date. */
function PromiseLines({ item, promised, today, variant }: {
  item: Item;
  promised: readonly Promised[];
  today: string;
  variant: Variant;
}) {
  const [first] = promised;
  if (!first) return null;
  const said = promised.flatMap(({ said }) => said.flatMap(({ date }) => date ?? []));
  const dates = [...new Set(said)].sort();
  const [earliest, latest, start] = [dates[0], dates.at(-1), first.said[0]!.since];
  const hasMoved = promised.some(({ said }) => new Set(said.map(({ date }) => date)).size > 1);
  if (!earliest || !latest || earliest === latest || !hasMoved) return null;
  const isOne = promised.length === 1;
  const names = isOne
    ? []
    : promised.map(({ name }) =>
      shortenTo(name === null ? say("field.release_date") : toLine(name), LINE.size, LINE.name)
    );
  const beside = Math.max(0, ...names.map((name) => textWidth(name, LINE.size)));
  const right = isOne ? PLOT.right : Math.floor(PLOT.width - beside - LINE.gap);
  const higher = LINE.height * (promised.length - 1);
  const [bottom, height] = [PLOT.bottom + higher, PLOT.height + higher];
  const scale = (from: string, to: string, [low, high]: [number, number]) => (day: string) =>
    Math.round(
      low + (Date.parse(day) - Date.parse(from)) /
          Math.max(1, Date.parse(to) - Date.parse(from)) * (high - low),
    );
  const x = scale(start, today, [PLOT.left, right]);
  const y = scale(earliest, latest, [bottom, PLOT.top]);
  const moved = x(first.said.at(-1)!.since);
  const isMoveNamed = isOne && moved - PLOT.left > ROOM.first && right - moved > ROOM.today;
  return (
    <svg
      class="promise-line"
      viewBox={`0 0 ${PLOT.width} ${height}`}
      role="img"
      aria-label={say("release.dates_over_time", {
        dates: isOne
          ? describeDates(first.said, variant)
          : joinParts(promised.map(({ name, said }) =>
            say("list.titled", {
              title: name === null ? nameOf(item) : toLine(name),
              text: describeDates(said, variant),
            })
          )),
      })}
    >
      {withRoom(dates, y).map((date) => (
        <g key={date}>
          <line class="grid" x1={PLOT.left} x2={right} y1={y(date)} y2={y(date)} />
          <text class="end" x={PLOT.left - 8} y={y(date) + 4}>
            {formatNarrow(variant.formatDate(date))}
          </text>
          {" "}
        </g>
      ))}
      {isOne && <path class="said" d={pathOf(first.said, { x, y, today })} />}
      {isOne && first.said.map(({ since, date }) =>
        date && <circle key={since} cx={x(since)} cy={y(date)} r="4" />
      )}
      {!isOne &&
        placeNames(promised, { y, bottom }).map((middle, place) => (
          <g key={place} class={`is-${classOf(promised, place)}`}>
            <path class="said" d={pathOf(promised[place]!.said, { x, y, today })} />
            <text x={right + LINE.gap} y={middle + 4}>{names[place]}</text>
            {" "}
          </g>
        ))}
      <text x={PLOT.left - 4} y={height - 4}>{formatDay(start)}</text>{" "}
      {isMoveNamed && (
        <text class="middle" x={moved} y={height - 4}>
          {formatDay(first.said.at(-1)!.since)}
        </text>
      )} <text class="end" x={right} y={height - 4}>{say("release.today")}</text>
    </svg>
  );
}

/** Its colour: 0 is that of the release date. */
function classOf(promised: readonly Promised[], place: number): number {
  if (promised[place]!.name === null) return 0;
  const before = promised.slice(0, place).filter(({ name }) => name !== null).length;
  return before % LINE.colours + 1;
}

/** The height of each name: beside the end of its line, or as near to it as other names let it be. */
function placeNames(
  promised: readonly Promised[],
  { y, bottom }: { y(date: string): number; bottom: number },
): number[] {
  const ends = promised.map(({ said }) => y(said.findLast(({ date }) => date !== null)!.date!));
  const order = [...ends.keys()].sort((one, other) => ends[other]! - ends[one]! || one - other);
  let free = bottom;
  for (const place of order) {
    ends[place] = Math.min(ends[place]!, free);
    free = ends[place]! - ROOM.date;
  }
  let taken = PLOT.top - ROOM.date;
  for (const place of order.toReversed()) {
    ends[place] = Math.max(ends[place]!, taken + ROOM.date);
    taken = ends[place]!;
  }
  return ends;
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
