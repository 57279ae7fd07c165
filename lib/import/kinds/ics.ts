import ICAL from "ical.js";
import { htmlToMarkdown } from "../../text/markdown.ts";
import { quote } from "../../text/phrases.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { type Document, type Kind, openFirst, readText, refuse } from "./kind.ts";

/** A calendar (RFC 5545), in which each event is a release. */
export const ics: Kind = {
  kind: "ics",
  title: "Calendar (.ics)",
  fields: {
    release_item_id: { from: "UID" },
    feature_name: { from: "SUMMARY" },
    feature_description: { from: "DESCRIPTION" },
    release_status: { from: "STATUS", default: "Planned" },
    release_date: { from: "LAST-DAY" },
    created: { from: "CREATED" },
    last_modified: { from: "LAST-MODIFIED" },
    blog_url: { from: "URL" },
    tags: { Category: { from: "CATEGORIES" } },
  },
  recognises: ({ contentType, extension, text }) =>
    contentType === "text/calendar" || extension === "ics" || /^\s*BEGIN:VCALENDAR\b/i.test(text),
  async read(source) {
    const document = await openFirst(source);
    return readCalendarEvents(readText(document, source), { document, today: source.asOf });
  },
};

/** A series without an end is read so far ahead. */
const AHEAD_YEARS = 2;
/** A series with more events than this is no release plan. */
const MAX_EVENTS = 5_000;

/** An event, or one of a series, with the names of RFC 5545. */
interface CalendarEvent {
  /** Of a series with the day for which the event was first planned. */
  readonly UID: string;
  readonly SUMMARY: string | null;
  readonly DESCRIPTION: string | null;
  readonly STATUS: string | null;
  /** The last day of the event, as it is written: without regard to time zones. */
  readonly "LAST-DAY": string | null;
  readonly CREATED: string | null;
  readonly "LAST-MODIFIED": string | null;
  readonly URL: string | null;
  readonly CATEGORIES: readonly string[];
}

/**
 * Reads the events of an iCalendar (RFC 5545), those of a series each by itself: all of them, or
 * those of the next two years where the series has no end.
 *
 * @throws {SnapshotError} if it is no calendar, or a series has more than 5,000 events
 */
function readCalendarEvents(
  text: string,
  { document, today }: { document: Pick<Document, "shown">; today: string },
): { rows: CalendarEvent[]; leftOut: Record<string, number> } {
  const { calendars, unreadable } = parseCalendars(joinLines(text), document);
  const all = calendars.flatMap((calendar) => calendar.getAllSubcomponents("vevent"));
  // It cannot be told from one that its server lost, or shows to nobody.
  if (all.length === 0 && unreadable === 0) throw refuse(document, "the calendar has no events");
  const leftOut = { private: all.filter(isPrivate).length, unreadable };
  const events = withoutOlder(all.filter((event) => !isPrivate(event)));
  const changes = Map.groupBy(events.filter(isChange), uidOf);
  const known = new Set(events.filter((event) => !isChange(event)).map(uidOf));
  const rows = events.flatMap((event) => {
    try {
      // A change of a series that is not here is an event of its own.
      if (isChange(event)) return known.has(uidOf(event)) ? [] : [toRow(event)];
      return expand(event, changes.get(uidOf(event)) ?? [], { document, today });
    } catch (error) {
      if (error instanceof SnapshotError) throw error;
      leftOut.unreadable++;
      return [];
    }
  });
  return { rows, leftOut };
}

/** Section 3.1: a line has a name. One that has none was broken without a blank before it. */
function joinLines(text: string): string {
  return text.replace(/(?:\r\n?|\n)(?![ \t]|[A-Za-z0-9-]+[:;]|[\r\n]|$)/g, "\r\n  ");
}

/** One of a series that differs from the others. */
function isChange(event: ICAL.Component): boolean {
  return event.hasProperty("recurrence-id");
}

/** Section 3.8.1.3. */
function isPrivate(event: ICAL.Component): boolean {
  return /^(?:private|confidential)$/i.test(String(event.getFirstPropertyValue("class") ?? ""));
}

/** Section 3.8.7.4: of events with the same id the one with the highest number counts, else the later. */
function withoutOlder(events: readonly ICAL.Component[]): ICAL.Component[] {
  const keyOf = (event: ICAL.Component) =>
    JSON.stringify([uidOf(event), String(event.getFirstPropertyValue("recurrence-id") ?? "")]);
  const numberOf = (event: ICAL.Component) => Number(event.getFirstPropertyValue("sequence") ?? 0);
  const latest = new Map<string, ICAL.Component>();
  for (const event of events) {
    const before = latest.get(keyOf(event));
    if (!before || numberOf(event) >= numberOf(before)) latest.set(keyOf(event), event);
  }
  return events.filter((event) => latest.get(keyOf(event)) === event);
}

/** The calendars of a text, and how many events are no part of them since they cannot be parsed. */
function parseCalendars(
  text: string,
  document: Pick<Document, "shown">,
): { calendars: ICAL.Component[]; unreadable: number } {
  try {
    return { calendars: parse(text), unreadable: 0 };
  } catch (error) {
    const [head = "", ...events] = text.split(/^(?=BEGIN:VEVENT)/im);
    const kept = events.map((event) => canParse(event) ? event : restOf(event));
    const unreadable = events.filter((event) => !canParse(event)).length;
    // What is wrong outside of the events is wrong for all of them.
    if (unreadable === 0) throw refuseCalendar(error, document);
    try {
      return { calendars: parse(head + kept.join("")), unreadable };
    } catch {
      throw refuseCalendar(error, document);
    }
  }
}

function parse(text: string): ICAL.Component[] {
  if (!/^BEGIN:VCALENDAR\b/im.test(text)) throw new ICAL.parse.ParserError("it has no VCALENDAR");
  const parsed = ICAL.parse(text) as unknown[];
  const all = (Array.isArray(parsed[0]) ? parsed : [parsed]) as ConstructorParameters<
    typeof ICAL.Component
  >[0][];
  const calendars = all.map((calendar) => new ICAL.Component(calendar));
  if (calendars.some(({ name }) => name === "vcalendar")) return calendars;
  throw new ICAL.parse.ParserError("it has no VCALENDAR");
}

const EVENT_END = /^END:VEVENT[ \t]*$/im;

function canParse(event: string): boolean {
  const end = EVENT_END.exec(event);
  try {
    return end !== null && Boolean(ICAL.parse(event.slice(0, end.index + end[0].length)));
  } catch {
    return false;
  }
}

/** What stands behind an event: the end of its calendar, and other components. */
function restOf(event: string): string {
  const end = EVENT_END.exec(event);
  return end === null ? "" : event.slice(end.index + end[0].length);
}

/** What a parser says on purpose is for people; what it stumbles over is not. */
function refuseCalendar(error: unknown, document: Pick<Document, "shown">): SnapshotError {
  const reason = error instanceof ICAL.parse.ParserError
    ? error.message
    : "its lines do not fit together";
  return refuse(document, `it is not a calendar: ${reason}`);
}

/** The events of a series, with its changes; of another event that itself. */
function expand(
  component: ICAL.Component,
  exceptions: ICAL.Component[],
  { document, today }: { document: Pick<Document, "shown">; today: string },
): CalendarEvent[] {
  const event = new ICAL.Event(component, { strictExceptions: true, exceptions });
  if (!event.startDate || !event.isRecurring()) return [toRow(component)];
  const rows: CalendarEvent[] = [];
  const end = isEndless(component)
    ? `${Number(today.slice(0, 4)) + AHEAD_YEARS}${today.slice(4)}`
    : null;
  const series = boundSteps(event.iterator());
  for (let time = series.next(); time; time = series.next()) {
    const planned = dayOf(time);
    if (end !== null && planned > end) break;
    if (rows.length === MAX_EVENTS) {
      const what = `${quote(event.summary)} has more than ${MAX_EVENTS} events`;
      throw refuse(document, `${what}: a release does not repeat so often`);
    }
    const { item, endDate, startDate } = event.getOccurrenceDetails(time);
    const lastDay = lastDayOf(startDate, endDate);
    rows.push({
      ...toRow(item.component),
      UID: `${uidOf(component)} ${planned}`,
      "LAST-DAY": lastDay,
    });
  }
  return rows;
}

/** Whether a rule has neither a number of events nor a last day (section 3.3.10). */
function isEndless(component: ICAL.Component): boolean {
  return component.getAllProperties("rrule").some((property) => {
    const rule = property.getFirstValue();
    return rule instanceof ICAL.Recur && rule.isFinite() === false;
  });
}

/** The most steps from one event to the next, by days more than a century. */
const MAX_STEPS = 40_000;

/** A rule such as "each 30 February" has no event, and its search for one no end. */
function boundSteps(series: ICAL.RecurExpansion): ICAL.RecurExpansion {
  let left = MAX_STEPS;
  for (
    const rule of (series as unknown as { ruleIterators?: RuleIterator[] }).ruleIterators ?? []
  ) {
    const check = rule.check_contracting_rules.bind(rule);
    rule.check_contracting_rules = () => {
      if (left-- === 0) throw new Error("The rule finds no event");
      return check();
    };
  }
  const next = series.next.bind(series);
  series.next = () => {
    left = MAX_STEPS;
    return next();
  };
  return series;
}

/** What ical.js asks in each step whether the day that it has come to is one of the series. */
interface RuleIterator {
  check_contracting_rules(): boolean;
}

function toRow(component: ICAL.Component): CalendarEvent {
  const text = (name: string) => {
    const value = component.getFirstPropertyValue(name);
    return value === null ? null : String(value);
  };
  const time = (name: string) => {
    const value = component.getFirstPropertyValue(name);
    return value instanceof ICAL.Time ? dayOf(value) : null;
  };
  const event = new ICAL.Event(component);
  const status = text("status");
  const categories = component.getAllProperties("categories")
    .flatMap((property) => property.getValues().map(String));
  return {
    UID: uidOf(component),
    SUMMARY: text("summary"),
    DESCRIPTION: toDescription(text("description")),
    STATUS: status === null ? null : status[0] + status.slice(1).toLowerCase(),
    // An event without a start has no end either.
    "LAST-DAY": event.startDate ? lastDayOf(event.startDate, event.endDate) : null,
    CREATED: time("created"),
    "LAST-MODIFIED": time("last-modified"),
    URL: text("url"),
    CATEGORIES: categories.map((name) => name.trim()).filter(Boolean),
  };
}

/** Google's calendars write descriptions in HTML. */
function toDescription(text: string | null): string | null {
  return text !== null && /<(?:a|b|br|i|li|p|span|u|ul)\b/i.test(text)
    ? htmlToMarkdown(text)
    : text;
}

/** An event without an id (against section 3.8.4.7) is known by what it is and when. */
function uidOf(component: ICAL.Component): string {
  const uid = component.getFirstPropertyValue("uid");
  if (uid) return String(uid);
  const [summary, start] = ["summary", "dtstart"].map((name) =>
    String(component.getFirstPropertyValue(name) ?? "")
  );
  return `${summary} ${start}`;
}

/** The end is the first moment after the event (section 3.6.1). */
function lastDayOf(start: ICAL.Time, end: ICAL.Time | null): string {
  if (!end || end.compare(start) <= 0) return dayOf(start);
  const isMidnight = end.isDate || end.hour + end.minute + end.second === 0;
  const last = end.clone();
  if (isMidnight) last.adjust(-1, 0, 0, 0);
  return dayOf(last) < dayOf(start) ? dayOf(start) : dayOf(last);
}

function dayOf({ year, month, day }: ICAL.Time): string {
  return [String(year).padStart(4, "0"), month, day].map((part) => String(part).padStart(2, "0"))
    .join("-");
}
