import { Name } from "../../components/name.tsx";
import type { JudgedReadings, SourceReading } from "../import/source_readings_sql.ts";
import { countOf } from "../text/phrases.ts";
import { formatDay } from "../text/dates.ts";
import { Scripts } from "./render_page.tsx";
import type { SiteFrame } from "./brand.tsx";

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
      {current.length > 0 && late.length > 0 && ". "}
      {late.length > 0 && <Late readings={late} isOnly={isOnly} today={today} />}
    </p>
  );
}

function Updated({ readings, isOnly, today }: Spoken & { today: string }) {
  const { first, last } = daysOf(readings);
  const from = !isOnly && ` from ${countOf(readings.length, "source")}`;
  if (first === last) {
    return (
      <>
        updated {last === today ? "today" : <Day day={last} />}
        {from}
      </>
    );
  }
  return (
    <>
      updated between <Day day={first} /> and <Day day={last} />
      {from}
    </>
  );
}

function Late({ readings, isOnly, today }: Spoken & { today: string }) {
  const oldest = readings.toSorted((one, other) => one.at - other.at)[0]!;
  if (isOnly) {
    return (
      <strong>
        not updated since <Since reading={oldest} today={today} />
      </strong>
    );
  }
  if (readings.length > MAX_NAMED) {
    return (
      <strong>
        {countOf(readings.length, "source")} are out of date, the oldest since{" "}
        <Since reading={oldest} today={today} />
      </strong>
    );
  }
  return (
    <strong>
      {readings.map((reading, place) => (
        <span key={reading.name}>
          {place > 0 && ". "}
          <Name text={reading.name} /> has not been updated since{" "}
          <Since reading={reading} today={today} />
        </span>
      ))}
    </strong>
  );
}

/** The day of a reading; of today's, the time. */
function Since({ reading: { day, at }, today }: { reading: SourceReading; today: string }) {
  if (day !== today) return <Day day={day} />;
  const moment = new Date(at).toISOString();
  return <time dateTime={moment}>{moment.slice(11, 16)} UTC today</time>;
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
      <strong>The roadmap as of {formatDay(day)}</strong>
      {firstDay !== null && day < firstDay &&
        `. Nothing was imported by then: the first import is as of ${formatDay(firstDay)}`}
      {" · "}
      <a href={today}>Back to today</a>
      {firstDay !== null && day >= firstDay && (
        <>
          {" · "}
          <a href={compare}>Compare with today</a>
        </>
      )}
    </p>
  );
}

/**
 * The place of "since your last visit", which a script fills from what the browser keeps; it has
 * its height from the start, so that nothing moves.
 */
export function LastVisit({ frame }: { frame: SiteFrame }) {
  const { services: { assets }, site: { path, variant } } = frame;
  const scripts = assets.scriptsOf("last_visit");
  if (scripts.length === 0) return null;
  const list = variant.hasChangelog ? `${path}/changelog?after=` : `${path}/?modified_since=`;
  return (
    <>
      <p id="last-visit" class="last-visit" role="status" data-path={path} data-list={list} />
      <Scripts files={scripts} frame={frame} />
    </>
  );
}
