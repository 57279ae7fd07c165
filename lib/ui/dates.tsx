import { Name } from "../../components/name.tsx";
import type { JudgedReadings, SourceReading } from "../import/source_readings_sql.ts";
import { formatDay } from "../text/dates.ts";
import { Scripts } from "./render_page.tsx";
import type { PageContext } from "./brand.tsx";
import { rich, say } from "../text/messages.ts";

/** A day `YYYY-MM-DD`, readable for people and machines. */
export function Day({ day }: { day: string }) {
  return <time dateTime={day}>{formatDay(day)}</time>;
}

/** More sources that are late are counted. */
const MAX_NAMED = 3;

interface Spoken {
  readings: readonly SourceReading[];
  /** There are no other sources. */
  isOnly: boolean;
}

/** When the sources were last read, in words; nothing before the first import. */
export function Freshness(
  { judged: { current, late }, today }: {
    judged: JudgedReadings;
    /** `YYYY-MM-DD` */
    today: string;
  },
) {
  const count = current.length + late.length;
  if (count === 0) return null;
  const isOnly = count === 1;
  return (
    <p class="freshness">
      {current.length > 0 && <Updated readings={current} isOnly={isOnly} today={today} />}
      {current.length > 0 && late.length > 0 && say("fresh.stop")}
      {late.length > 0 && <Late readings={late} isOnly={isOnly} today={today} />}
    </p>
  );
}

function Updated({ readings, isOnly, today }: Spoken & { today: string }) {
  const { first, last } = daysOf(readings);
  const sources = isOnly ? 0 : readings.length;
  if (last !== first) {
    return (
      <>
        {rich("fresh.between", {
          first: Day({ day: first }),
          last: Day({ day: last }),
          sources,
        })}
      </>
    );
  }
  return (
    <>
      {last === today
        ? say("fresh.today", { sources })
        : rich("fresh.day", { day: Day({ day: last }), sources })}
    </>
  );
}

function Late({ readings, isOnly, today }: Spoken & { today: string }) {
  const oldest = readings.toSorted((one, other) => one.at - other.at)[0]!;
  if (isOnly) {
    return (
      <strong>
        {rich("fresh.not_since", {
          day: Since({ reading: oldest, today }),
        })}
      </strong>
    );
  }
  if (readings.length > MAX_NAMED) {
    return (
      <strong>
        {rich("fresh.out_of_date", {
          count: readings.length,
          day: Since({ reading: oldest, today }),
        })}
      </strong>
    );
  }
  return (
    <strong>
      {readings.map((reading, place) => (
        <span key={reading.name}>
          {place > 0 && say("fresh.stop")}
          {rich("fresh.source_not_since", {
            source: <Name text={reading.name} />,
            day: Since({ reading, today }),
          })}
        </span>
      ))}
    </strong>
  );
}

/** The day of a reading; of today's, the time. */
function Since({ reading: { day, at }, today }: { reading: SourceReading; today: string }) {
  if (day !== today) return Day({ day });
  const moment = new Date(at).toISOString();
  return <time dateTime={moment}>{say("fresh.time_today", { time: moment.slice(11, 16) })}</time>;
}

function daysOf(readings: readonly SourceReading[]) {
  const days = readings.map(({ day }) => day).sort();
  return { first: days[0]!, last: days.at(-1)! };
}

/** Says which day's roadmap a page shows, and leads to today's. */
export function AsOfNote({ day, firstDay, today, compare }: {
  /** All days as `YYYY-MM-DD`. */
  day: string;
  /** The as-of day of the first import; null: there was none. */
  firstDay: string | null;
  /** The address of the same page today. */
  today: string;
  /** The address that says what became of it. */
  compare: string;
}) {
  return (
    <p class="notice" role="note">
      <strong>{say("as_of.title", { day: formatDay(day) })}</strong>
      {firstDay !== null && day < firstDay &&
        say("as_of.nothing", { day: formatDay(firstDay) })}
      {" · "}
      <a href={today}>{say("as_of.today")}</a>
      {firstDay !== null && day >= firstDay && (
        <>
          {" · "}
          <a href={compare}>{say("fresh.compare_with_today")}</a>
        </>
      )}
    </p>
  );
}

/**
 * The place of "since your last visit", which a script fills from what the browser keeps; it has
 * its height from the start, so that nothing moves.
 */
export function LastVisit({ context }: { context: PageContext }) {
  const { services: { assets }, site: { path } } = context;
  const scripts = assets.scriptsOf("last_visit");
  if (scripts.length === 0) return null;
  return (
    <>
      <p
        id="last-visit"
        class="last-visit"
        role="status"
        data-path={path}
        data-changed={say("visit.changed")}
      >
        <span />{" "}
        <a hidden>
          <span class="wide">{say("visit.see")}</span>
        </a>
      </p>
      <Scripts files={scripts} context={context} />
    </>
  );
}
