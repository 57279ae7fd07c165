import ICAL from "ical.js";
import { htmlToMarkdown } from "../../text/markdown.ts";
import { countOf, quote } from "../../text/phrases.ts";
import { SnapshotError } from "../snapshot_error.ts";
import {
  checkLength,
  eventDay,
  expandSeries,
  isEndless,
  isSeries,
  Walk,
} from "./calendar_series.ts";
import { parseCalendars, registerZones } from "./calendar_text.ts";
import { type Document, type Kind, openFirst, readText, refuse } from "./kind.ts";
import type { Table } from "../mapping/table.ts";

/** A calendar (RFC 5545), in which each event or to-do is a release. */
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
    return readCalendar(readText(document, source), { document, today: source.asOf });
  },
};

/** A series without an end is read so far ahead. */
const AHEAD_YEARS = 2;
/** A series with more events than this is no release plan. */
const MAX_EVENTS = 5_000;
/** A series with more is likely a meeting. */
const MANY = 12;

/**
 * An event or a to-do, or one of a series, with the names of RFC 5545; `LAST-DAY` is its last day as
 * it is written, without regard to time zones.
 */
type CalendarRow = ReturnType<typeof calendarRow>;

/** An event or a to-do that can be read, with what is asked of it before it is a row. */
interface Entry {
  readonly component: ICAL.Component;
  readonly row: CalendarRow;
  /** Of a change of one of a series: which one; null: it stands for itself. */
  readonly changes: string | null;
  /** Section 3.8.7.4: of the versions of an entry the one with the highest counts. */
  readonly sequence: number;
  readonly isPrivate: boolean;
}

interface CalendarReading {
  document: Pick<Document, "shown">;
  today: string;
}

/**
 * Reads the events and to-dos of an iCalendar (RFC 5545), those of a series each by itself: all of
 * them, or those of the next two years where the series has no end. One that cannot be read is
 * counted, and takes no other with it.
 *
 * @throws {SnapshotError} if it is no calendar, or a series has more than 5,000 events
 */
function readCalendar(text: string, reading: CalendarReading): Table {
  const { document } = reading;
  const { calendars, unreadable } = parseCalendars(text, document);
  const walk = new Walk();
  const leftOut = { private: 0, unreadable };
  const judge = <Read>(read: () => Read): Read[] => {
    try {
      return [read()];
    } catch (error) {
      if (error instanceof SnapshotError) throw error;
      if (walk.isOver) throw refuse(document, "its series are too long to be releases");
      leftOut.unreadable++;
      return [];
    }
  };
  for (const calendar of calendars) boundZones(calendar, walk);
  const components = calendars.flatMap((calendar) =>
    ["vevent", "vtodo"].flatMap((name) => calendar.getAllSubcomponents(name))
  );
  // It cannot be told from one that its server lost, or shows to nobody.
  if (components.length === 0 && unreadable === 0) {
    throw refuse(document, "the calendar has no events and no to-dos");
  }
  const all = components.flatMap((component) => judge(() => readEntry(component, walk)));
  leftOut.private = all.filter(({ isPrivate }) => isPrivate).length;
  const entries = newestEvents(all.filter(({ isPrivate }) => !isPrivate));
  const changed = Map.groupBy(entries.filter(({ changes }) => changes !== null), uidOf);
  const known = new Set(entries.filter(({ changes }) => changes === null).map(uidOf));
  const read = entries.flatMap((entry) => {
    // A change of a series that is not here is an event of its own.
    if (entry.changes !== null) return known.has(uidOf(entry)) ? [] : [[entry.row]];
    return judge(() => expand(entry, changed.get(uidOf(entry)) ?? [], reading));
  });
  return {
    rows: read.flat(),
    leftOut,
    notes: noteSeries(read),
    dependsOnDay: entries.some(({ component }) => isEndless(component)),
  };
}

/** Bounds the rules of time zones; a zone with one beyond any measure is none. */
function boundZones(calendar: ICAL.Component, walk: Walk): void {
  for (const zone of calendar.getAllSubcomponents("vtimezone")) {
    try {
      walk.bound(zone);
    } catch {
      calendar.removeSubcomponent(zone);
    }
  }
  registerZones(calendar);
}

/** Reads all of an entry that is read anywhere, so that it fails here or nowhere. */
function readEntry(component: ICAL.Component, walk: Walk): Entry {
  walk.bound(component);
  checkLength(component);
  const changed = component.getFirstPropertyValue("recurrence-id");
  return {
    component,
    row: calendarRow(component),
    changes: changed === null ? null : String(changed),
    sequence: Number(component.getFirstPropertyValue("sequence")) || 0,
    // Section 3.8.1.3
    isPrivate: /^(?:private|confidential)$/i
      .test(String(component.getFirstPropertyValue("class") ?? "")),
  };
}

const uidOf = ({ row }: Entry) => row.UID;

/** Of entries with the same id the one with the highest number counts, else the later. */
function newestEvents(entries: readonly Entry[]): Entry[] {
  const keyOf = ({ row, changes }: Entry) => JSON.stringify([row.UID, changes]);
  const latest = new Map<string, Entry>();
  for (const entry of entries) {
    const before = latest.get(keyOf(entry));
    if (!before || entry.sequence >= before.sequence) latest.set(keyOf(entry), entry);
  }
  return entries.filter((entry) => latest.get(keyOf(entry)) === entry);
}

/** The events of a series, with its changes; of another entry that itself. */
function expand(
  { component, row }: Entry,
  changes: readonly Entry[],
  { document, today }: CalendarReading,
): CalendarRow[] {
  const isRepeated = component.name === "vevent" && isSeries(component) &&
    component.hasProperty("dtstart");
  if (!isRepeated) return [row];
  const end = isEndless(component)
    ? `${Number(today.slice(0, 4)) + AHEAD_YEARS}${today.slice(4)}`
    : null;
  const rows: CalendarRow[] = [];
  for (const one of expandSeries(component, changes.map(({ component }) => component))) {
    if (end !== null && one.planned > end) break;
    if (rows.length === MAX_EVENTS) {
      const what = `${quote(row.SUMMARY ?? "")} has more than ${MAX_EVENTS} events`;
      throw refuse(document, `${what}: a release does not repeat so often`);
    }
    rows.push({
      ...calendarRow(one.component),
      UID: `${row.UID} ${one.planned}`,
      "LAST-DAY": lastDayOf(one.start, one.end),
    });
  }
  return rows;
}

/** Says which series is likely a meeting, and how it is left out. */
function noteSeries(read: readonly (readonly CalendarRow[])[]): string[] {
  const longest = read.reduce((most, rows) => rows.length > most.length ? rows : most, []);
  const name = longest[0]?.SUMMARY ?? null;
  if (longest.length <= MANY || name === null) return [];
  const where = JSON.stringify({ where: { SUMMARY: { not: name } } });
  return [
    `${quote(name)} is a series of ${countOf(longest.length, "event")}, each of which is read as ` +
    `a release; if it is a meeting, leave it out with a mapping: ${where}`,
  ];
}

function calendarRow(component: ICAL.Component) {
  const text = (name: string) => {
    const value = component.getFirstPropertyValue(name);
    return value === null ? null : String(value);
  };
  const time = (name: string) => {
    const value = component.getFirstPropertyValue(name);
    return value instanceof ICAL.Time ? eventDay(value) : null;
  };
  // Without exceptions it would read all other events for its own.
  const event = new ICAL.Event(component, { exceptions: [] });
  const isDone = component.hasProperty("completed");
  const status = (text("status") ?? (isDone ? "completed" : null))?.replaceAll("-", " ");
  const categories = component.getAllProperties("categories")
    .flatMap((property) => property.getValues().map(String));
  // Section 3.8.2.3: a to-do is to be done by a moment, and an entry without a start has no end.
  const lastDay = time("due") ?? (event.startDate && lastDayOf(event.startDate, event.endDate));
  return {
    UID: text("uid") || `${text("summary") ?? ""} ${text("dtstart") ?? ""}`,
    SUMMARY: text("summary"),
    DESCRIPTION: toDescription(text("description")),
    STATUS: status ? status[0]!.toUpperCase() + status.slice(1).toLowerCase() : null,
    "LAST-DAY": lastDay,
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

/** The end is the first moment after the event (section 3.6.1). */
function lastDayOf(start: ICAL.Time, end: ICAL.Time | null): string {
  if (!end || end.compare(start) <= 0) return eventDay(start);
  const isMidnight = end.isDate || end.hour + end.minute + end.second === 0;
  const last = end.clone();
  if (isMidnight) last.adjust(-1, 0, 0, 0);
  return eventDay(last) < eventDay(start) ? eventDay(start) : eventDay(last);
}
