import { Name } from "../../islands/name.tsx";
import type { ConfiguredSource } from "../import/schedule/configured_sources.ts";
import type { SourceReading } from "../import/source_readings_sql.ts";
import { countOf } from "../text/count_of.ts";
import { daysBefore } from "../text/dates.ts";
import { Day } from "./day.tsx";

/** More sources that are late are counted. */
const MAX_NAMED = 3;
/** After this many intervals a source is late. */
const INTERVALS = 3;
const MINUTES_PER_DAY = 24 * 60;

interface FreshnessProps {
  readings: readonly SourceReading[];
  /** Those with a schedule. */
  sources: readonly Pick<ConfiguredSource, "name" | "everyMinutes">[];
  /** `YYYY-MM-DD` */
  today: string;
}

interface Spoken {
  readings: readonly SourceReading[];
  /** There are no other sources. */
  isOnly: boolean;
}

/** When the sources were last read, in words; nothing before the first import. */
export function Freshness({ readings, sources, today }: FreshnessProps) {
  if (readings.length === 0) return null;
  const isLate = ({ name, day }: SourceReading) => {
    const source = sources.find((source) => source.name === name);
    // Whole days that have passed since: pages are cached for a day.
    const days = source && Math.ceil(source.everyMinutes * INTERVALS / MINUTES_PER_DAY);
    return days !== undefined && day < daysBefore(today, days);
  };
  const isOnly = readings.length === 1;
  const late = readings.filter(isLate);
  const current = readings.filter((reading) => !isLate(reading));
  return (
    <p class="freshness">
      {current.length > 0 && <Updated readings={current} isOnly={isOnly} />}
      {late.length > 0 && <Late readings={late} isOnly={isOnly} />}
    </p>
  );
}

function Updated({ readings, isOnly }: Spoken) {
  const { first, last } = daysOf(readings);
  const from = !isOnly && ` from ${countOf(readings.length, "source")}`;
  if (first === last) {
    return (
      <>
        Updated <Day day={last} />
        {from}.{" "}
      </>
    );
  }
  return (
    <>
      Updated between <Day day={first} /> and <Day day={last} />
      {from}.{" "}
    </>
  );
}

function Late({ readings, isOnly }: Spoken) {
  const { first } = daysOf(readings);
  if (isOnly) {
    return (
      <strong>
        Not updated since <Day day={first} />.
      </strong>
    );
  }
  if (readings.length > MAX_NAMED) {
    return (
      <strong>
        {countOf(readings.length, "source")} are out of date, the oldest since <Day day={first} />.
      </strong>
    );
  }
  return (
    <strong>
      {readings.map(({ name, day }) => (
        <span key={name}>
          <Name text={name} /> has not been updated since <Day day={day} />.{" "}
        </span>
      ))}
    </strong>
  );
}

function daysOf(readings: readonly SourceReading[]) {
  const days = readings.map(({ day }) => day).sort();
  return { first: days[0]!, last: days.at(-1)! };
}
