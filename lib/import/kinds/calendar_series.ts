import ICAL from "ical.js";

/** Nothing on a roadmap is longer, and no rule of one waits longer. */
const MAX_YEARS = 300;
const MAX_SECONDS = MAX_YEARS * 366 * 24 * 60 * 60;
/** How often a unit of a rule's interval is in a year, at least. */
const PER_YEAR: Readonly<Record<string, number>> = {
  YEARLY: 1,
  MONTHLY: 12,
  WEEKLY: 52,
  DAILY: 365,
  HOURLY: 8_760,
  MINUTELY: 525_600,
  SECONDLY: 31_536_000,
};
/** A rule names at most each day of a year. */
const MAX_RULE_VALUES = 366;
/** What a rule may walk in all: days one by one for a century, years for some thousand. */
const MAX_STEPS = 40_000;
/** What all series of a calendar may walk. */
const MAX_ALL_STEPS = 1_000_000;
/** What it costs to list the days of a year, in steps. */
const YEAR_STEPS = 20;

/** A series walks on and on. */
class TooManySteps extends Error {}

/** How far the rules of one calendar have been walked. */
export class Walk {
  #steps = 0;

  /** Whether the rules of a calendar together walk further than any roadmap does. */
  get isOver(): boolean {
    return this.#steps > MAX_ALL_STEPS;
  }

  /**
   * Has the rules of a component, or of the zones in it, count their steps, which the parser does
   * not bound: one such as "each 30 February" has no event, and its search for one no end.
   *
   * @throws {Error} if a rule is none, or beyond any measure
   */
  bound(component: ICAL.Component): void {
    for (const property of component.getAllProperties("rrule")) {
      const rule = property.getFirstValue();
      if (!(rule instanceof ICAL.Recur)) throw new Error("It is no rule");
      const interval = Number(rule.interval);
      const values = Object.values(rule.parts).flat();
      if (
        !(interval <= MAX_YEARS * (PER_YEAR[rule.freq] ?? 0)) || values.length > MAX_RULE_VALUES
      ) {
        throw new Error("The rule is beyond any measure");
      }
      rule.iterator = (dtstart: ICAL.Time) => this.#iterate(rule, dtstart);
    }
    for (const inner of component.getAllSubcomponents()) this.bound(inner);
  }

  #iterate(rule: ICAL.Recur, dtstart: ICAL.Time): ICAL.RecurIterator {
    let left = MAX_STEPS;
    const spend = (steps: number) => {
      left -= steps;
      this.#steps += steps;
      if (left < 0 || this.isOver) throw new TooManySteps("The rule finds no event");
    };
    // The constructor of the base begins to walk, so that no field can count for it.
    return new class extends ICAL.RecurIterator {
      override increment_monthday(days: number): void {
        spend(days);
        super.increment_monthday(days);
      }
      override increment_month(): void {
        spend(1);
        super.increment_month();
      }
      override expand_year_days(year: number): number {
        spend(YEAR_STEPS);
        return super.expand_year_days(year);
      }
      override check_contracting_rules(): boolean {
        spend(1);
        return super.check_contracting_rules();
      }
      override next(again?: boolean): ICAL.Time {
        left = MAX_STEPS;
        return super.next(again);
      }
    }({ rule, dtstart });
  }
}

/** @throws {Error} if a duration, or what is between start and end, is longer than 300 years */
export function checkLength(component: ICAL.Component): void {
  const duration = component.getFirstPropertyValue("duration");
  if (duration !== null && !(duration instanceof ICAL.Duration)) {
    throw new Error("It is no duration");
  }
  if (Math.abs(duration?.toSeconds() ?? 0) > MAX_SECONDS) throw new Error("It is too long");
}

interface Occurrence {
  readonly planned: string;
  readonly start: ICAL.Time;
  readonly end: ICAL.Time;
  readonly component: ICAL.Component;
}

/** Whether an event has a rule or days of its own that repeat it. */
export function isSeries(component: ICAL.Component): boolean {
  return component.hasProperty("rrule") || component.hasProperty("rdate");
}

/** Whether a rule has neither a number of events nor a last day (section 3.3.10). */
export function isEndless(component: ICAL.Component): boolean {
  return component.getAllProperties("rrule").some((property) => {
    const rule = property.getFirstValue();
    return rule instanceof ICAL.Recur && rule.isFinite() === false;
  });
}

/**
 * The occurrences of a series in their order, with those that differ, without those that are taken
 * out. Each is named by its moment (sections 3.8.4.4 and 3.8.5.1): in the zone of the series, in
 * another one, by the clock of the series without any, or by its day.
 */
export function* expandSeries(
  series: ICAL.Component,
  changes: readonly ICAL.Component[],
): Generator<Occurrence> {
  const { zone } = new ICAL.Event(series, { exceptions: [] }).startDate;
  const rooted = [series, ...changes];
  for (const name of ["exdate", "rdate", "recurrence-id"]) {
    for (const property of rooted.flatMap((component) => component.getAllProperties(name))) {
      for (const value of property.getValues()) {
        const floats = value instanceof ICAL.Time && value.zone === ICAL.Timezone.localTimezone;
        if (floats && !value.isDate) value.zone = zone;
      }
    }
  }
  const excluded = new Set(
    series.getAllProperties("exdate").flatMap((property) => property.getValues()).map(momentOf),
  );
  series.removeAllProperties("exdate");
  const event = new ICAL.Event(series, { exceptions: [...changes] });
  const length = event.duration.toSeconds();
  if (Math.abs(length) > MAX_SECONDS) throw new Error("It is too long");
  const changed = new Map(
    changes.map((component) =>
      [momentOf(component.getFirstPropertyValue("recurrence-id")), component] as const
    ),
  );
  const times = event.iterator();
  for (let time = times.next(); time; time = times.next()) {
    const planned = eventDay(time);
    if (excluded.has(momentOf(time)) || excluded.has(planned)) continue;
    const own = changed.get(momentOf(time)) ?? changed.get(planned);
    if (own !== undefined) {
      const { startDate: start, endDate: end } = new ICAL.Event(own);
      yield { planned, start, end, component: own };
      continue;
    }
    const { item, startDate: start, endDate: end } = event.getOccurrenceDetails(time);
    yield { planned, start, end, component: item.component };
  }
}

/** A moment as text, or its day where it has no time; throws for what is neither. */
function momentOf(time: unknown): string {
  if (!(time instanceof ICAL.Time)) throw new Error("It is no time");
  return time.isDate ? eventDay(time) : String(time.toUnixTime());
}

/** `YYYY-MM-DD`, as the clock of its zone shows it. */
export function eventDay({ year, month, day }: ICAL.Time): string {
  return [String(year).padStart(4, "0"), month, day].map((part) => String(part).padStart(2, "0"))
    .join("-");
}
