import { CopyForEmail, CopyLink } from "../../components/copy_buttons.tsx";
import { Name } from "../../components/name.tsx";
import { filterQuery } from "../../components/search/search_query.ts";
import type { History } from "../roadmap/changes/history_sql.ts";
import {
  type DateChange,
  describeDates,
  describeSlip,
  followDates,
  notMovedSince,
  type SaidDate,
} from "../roadmap/changes/promise.ts";
import { CALENDAR_PATH, webcalAddress } from "../roadmap/feed_addresses.ts";
import type { FilterValues } from "../roadmap/filter/filter_values.ts";
import type { Item } from "../roadmap/item.ts";
import type { Site } from "../roadmap/sites.ts";
import { isStated } from "../roadmap/stated.ts";
import type { Variant } from "../roadmap/variant.ts";
import { formatDay, formatPlanned } from "../text/dates.ts";
import { toLine } from "../text/phrases.ts";
import type { SiteFrame } from "./brand.tsx";
import { ChangeList, MAX_DIFFS } from "./change_list.tsx";
import { Day } from "./dates.tsx";
import { EmailForm } from "./email_form.tsx";
import { rich, say } from "../text/messages.ts";

/** How far along it is; its place is there without a status, too. */
export function StatusBadge(
  { item: { tone, release_status } }: { item: { tone: string; release_status: string } },
) {
  return isStated(release_status)
    ? <span class={`badge tone-${tone}`}>{toLine(release_status)}</span>
    : <span />;
}

interface DateCardProps {
  item: Item;
  history: History;
  /** The changes of its date, oldest first. */
  dates: readonly DateChange[];
  /** `YYYY-MM-DD` */
  today: string;
  variant: Variant;
}

/** When a release is planned or has shipped, and how that date has moved. */
export function DateCard({ item, history, dates, today, variant }: DateCardProps) {
  const { release_date: date } = item;
  const planned = date === null ? say("list.no_date") : formatPlanned(variant.formatDate(date));
  const shipped = item.tone === "shipped" ? findShipping(history, variant) : undefined;
  return (
    <section class="card date-card" aria-label={say("release.planned_date")}>
      <div>
        <p class="quiet">{labelOf(item)}</p>
        <p class="date-value">
          {shipped ? <Day day={shipped} /> : planned}{" "}
          {isOverdue(item, today) && (
            <span class="badge kind-slipped">{say("release.overdue")}</span>
          )}
        </p>
        {shipped && date !== null && (
          <p class="quiet">{say("release.planned_for", { date: planned })}</p>
        )}
        <Moves item={item} history={history} dates={dates} variant={variant} />
      </div>
      <PromiseLine
        said={followDates(dates, history.first_seen ?? item.last_modified)}
        today={today}
        variant={variant}
      />
    </section>
  );
}

function Moves({ item, history, dates, variant }: Omit<DateCardProps, "today">) {
  const slip = describeSlip(dates, variant);
  const first = dates.find(({ old_value }) => old_value !== null)?.old_value;
  if (slip !== null) {
    const isLater = first && item.release_date && item.release_date > first;
    return <p class={isLater ? "promise late" : "promise"}>{slip}</p>;
  }
  if (item.release_date === null || history.first_seen === null) return null;
  return <p class="quiet">{notMovedSince(formatDay(history.first_seen))}</p>;
}

/** What the date of a release is. */
export function labelOf({ active, tone }: Item): string {
  if (tone === "shipped") return say("kind.shipped");
  return active && tone !== "stopped" ? say("release.expected") : say("release.was_planned");
}

/** The day on which it was last seen to ship, if it was. */
export function findShipping({ changes }: History, { datePrecision }: Variant): string | undefined {
  return changes.find(({ kinds }) => kinds[datePrecision].includes("shipped"))?.day;
}

/** Whether a release should have shipped by now. */
export function isOverdue({ active, tone, release_date }: Item, today: string): boolean {
  const isOpen = active && (tone === "planned" || tone === "in_progress");
  return isOpen && release_date !== null && release_date < today;
}

const PLOT = { left: 80, right: 324, top: 10, bottom: 58, width: 336, height: 78 };
/**
 * Labels nearer to each other than that would overlap: those of dates, and that of a move and those
 * of the first day and of today.
 */
const ROOM = { date: 15, first: 104, today: 74 };

/** The dates that were said over time, as a line: a step up is a move to a later date. */
function PromiseLine({ said, today, variant }: {
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
  const isMoveNamed = moved - PLOT.left > ROOM.first && PLOT.right - moved > ROOM.today;
  return (
    <svg
      class="promise-line"
      viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
      role="img"
      aria-label={say("release.dates_over_time", { dates: describeDates(said, variant) })}
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
      )} <text class="end" x={PLOT.right} y={PLOT.height - 4}>{say("release.today")}</text>
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

/** The most history on a page, in imports that changed something. */
export const HISTORY_LENGTH = 100;

/** What became of a release, the newest first. */
export function HistorySection({ item, history: { changes, total }, site: { variant, path } }: {
  item: Item;
  history: History;
  site: Site;
}) {
  const runs = [...Map.groupBy(changes, ({ run_id }) => run_id).values()];
  const ids = nameByDay(runs.map(([change]) => change!.day));
  return (
    <section class="history" aria-labelledby="history-heading">
      <h2 id="history-heading">{say("release.history")}</h2>
      <ol>
        {runs.map((changes, place) => (
          <ChangeList
            key={changes[0]!.run_id}
            variant={variant}
            changes={changes}
            day={changes[0]!.day}
            id={ids[place]!}
            showsDiff={place < MAX_DIFFS}
          />
        ))}
      </ol>
      {total > HISTORY_LENGTH && (
        <p class="notice">
          {say("history.last", { shown: HISTORY_LENGTH, total })}{" "}
          <a href={`${path}/api/releases/history/${item.release_item_id}`}>
            {say("release.full_history_json")}
          </a>
        </p>
      )}
    </section>
  );
}

/** A name for each entry, the newest first: its day, and a number from the second of a day on. */
function nameByDay(days: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return days.toReversed().map((day) => {
    const count = (counts.get(day) ?? 0) + 1;
    counts.set(day, count);
    return count === 1 ? day : `${day}-${count}`;
  }).toReversed();
}

/** Asks to be emailed of changes to this release; beside it other ways to follow its product. */
export function WatchCard({ item, followed, frame }: {
  item: Item;
  /** The product of the release. */
  followed: FilterValues;
  frame: SiteFrame;
}) {
  const { site } = frame;
  const query = filterQuery(followed);
  const { heading, hint } = watchWords(item);
  return (
    <section class="card watch" aria-labelledby="watch-heading">
      <h2 id="watch-heading">{heading}</h2>
      <EmailForm
        lists={{ releases: [item.release_item_id] }}
        cadence="immediate"
        button={say("release.watch_this_release")}
        hint={hint}
        frame={frame}
      />
      <p class="hint">
        {rich("watch.product", {
          product: (
            <a href={`${site.path}/subscribe${query}`}>
              <Name text={toLine(item.product_name)} />
            </a>
          ),
          rss: <a href={`${site.path}/rss.xml${query}`}>{say("release.rss")}</a>,
          calendar: (
            <a href={webcalAddress(site.url + CALENDAR_PATH + query)}>{say("share.calendar")}</a>
          ),
        })}
      </p>
      <p class="copies">
        <CopyLink address={`${site.url}/release/${item.release_item_id}`} />{" "}
        <CopyForEmail address={`${site.path}/copy?release_item_id=${item.release_item_id}`} />
      </p>
    </section>
  );
}

/** What can still happen to a release. */
function watchWords({ active, tone }: Item): { heading: string; hint: string } {
  if (!active) return { heading: say("watch.comes_back"), hint: say("watch.one") };
  if (tone === "shipped" || tone === "stopped") {
    return { heading: say("watch.changes"), hint: say("watch.one") };
  }
  return {
    heading: say("watch.moves"),
    hint: say("watch.one_and_reminders"),
  };
}
