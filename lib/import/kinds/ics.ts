import ICAL from "ical.js";
import { htmlToMarkdown } from "../../text/markdown.ts";
import { quote } from "../../text/phrases.ts";
import type { SnapshotError } from "../snapshot_error.ts";
import { type Document, type Kind, openFirst, readText, refuse } from "./kind.ts";

/** A calendar (RFC 5545), in which each event is a release. */
export const ics: Kind = {
  kind: "ics",
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
    return {
      rows: readCalendarEvents(readText(document, source), { document, today: source.asOf }),
    };
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
): CalendarEvent[] {
  const events = parseCalendars(text, document)
    .flatMap((calendar) => calendar.getAllSubcomponents("vevent"));
  const isChange = (event: ICAL.Component) => event.hasProperty("recurrence-id");
  const changes = Map.groupBy(events.filter(isChange), uidOf);
  const known = new Set(events.filter((event) => !isChange(event)).map(uidOf));
  return events.flatMap((event) => {
    // A change of a series that is not here is an event of its own.
    if (isChange(event)) return known.has(uidOf(event)) ? [] : [toRow(event)];
    return expand(event, changes.get(uidOf(event)) ?? [], { document, today });
  });
}

function parseCalendars(text: string, document: Pick<Document, "shown">): ICAL.Component[] {
  try {
    const parsed = ICAL.parse(text) as unknown[];
    const all = (Array.isArray(parsed[0]) ? parsed : [parsed]) as ConstructorParameters<
      typeof ICAL.Component
    >[0][];
    const calendars = all.map((calendar) => new ICAL.Component(calendar));
    if (calendars.some(({ name }) => name === "vcalendar")) return calendars;
  } catch (error) {
    throw refuseCalendar((error as Error).message, document);
  }
  throw refuseCalendar("it has no VCALENDAR", document);
}

function refuseCalendar(reason: string, document: Pick<Document, "shown">): SnapshotError {
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
  const end = `${Number(today.slice(0, 4)) + AHEAD_YEARS}${today.slice(4)}`;
  const series = event.iterator();
  for (let time = series.next(); time; time = series.next()) {
    const planned = dayOf(time);
    if (planned > end) break;
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
