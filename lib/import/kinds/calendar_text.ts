import ICAL from "ical.js";
import type { SnapshotError } from "../snapshot_error.ts";
import { type Document, refuse } from "./kind.ts";

/**
 * The calendars of a text (RFC 5545), and how many of their events and to-dos are no part of them,
 * since they cannot be parsed.
 *
 * @throws {SnapshotError} if it is no calendar, or what stands around its events is broken
 */
export function parseCalendars(
  given: string,
  document: Pick<Document, "shown">,
): { calendars: ICAL.Component[]; unreadable: number } {
  const text = joinLines(given);
  try {
    return { calendars: parse(text), unreadable: 0 };
  } catch (error) {
    const [head = "", ...entries] = text.split(/^(?=BEGIN:(?:VEVENT|VTODO)\b)/im);
    const kept = entries.map((entry) => canParse(entry) ? entry : restOf(entry));
    const unreadable = entries.filter((entry) => !canParse(entry)).length;
    // What is wrong outside of the events is wrong for all of them.
    if (unreadable === 0) throw refuseCalendar(error, document);
    try {
      return { calendars: parse(head + kept.join("")), unreadable };
    } catch {
      throw refuseCalendar(error, document);
    }
  }
}

/** Section 3.1: a line has a name. One that has none was broken without a blank before it. */
function joinLines(text: string): string {
  return text.replace(/(?:\r\n?|\n)(?![ \t]|[A-Za-z0-9-]+[:;]|[\r\n]|$)/g, "\r\n  ");
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

const END = /^END:(?:VEVENT|VTODO)[ \t]*$/im;

function canParse(entry: string): boolean {
  const end = END.exec(entry);
  try {
    return end !== null && Boolean(ICAL.parse(entry.slice(0, end.index + end[0].length)));
  } catch {
    return false;
  }
}

/** What stands behind an event: the end of its calendar, and other components. */
function restOf(entry: string): string {
  const end = END.exec(entry);
  return end === null ? "" : entry.slice(end.index + end[0].length);
}

/** What a parser says on purpose is for people; what it stumbles over is not. */
function refuseCalendar(error: unknown, document: Pick<Document, "shown">): SnapshotError {
  const reason = error instanceof ICAL.parse.ParserError
    ? error.message
    : "its lines do not fit together";
  return refuse(document, `it is not a calendar: ${reason}`);
}

/** A time zone by the rules that the machine knows. */
class NamedZone extends ICAL.Timezone {
  /** @param tzid as the calendar names the zone */
  constructor(tzid: string, private readonly known: string) {
    super({ tzid });
  }

  /** Seconds between UTC and what a clock of the zone shows. */
  override utcOffset(time: ICAL.Time): number {
    const { year, month, day, hour, minute, second } = time;
    const clock = new Temporal.PlainDateTime(year, month, day, hour, minute, second);
    return clock.toZonedDateTime(this.known).offsetNanoseconds / 1e9;
  }
}

/**
 * Makes the zones known that a calendar names without the definition which RFC 5545 (3.6.5) wants:
 * else its times would float, and no moment in UTC could be one of them.
 */
export function registerZones(calendar: ICAL.Component): void {
  const entries = calendar.getAllSubcomponents();
  for (const property of entries.flatMap((entry) => entry.getAllProperties())) {
    const tzid = property.getFirstParameter("tzid");
    if (!tzid || ICAL.TimezoneService.has(tzid)) continue;
    const known = [tzid, tzid.split("/").slice(-2).join("/")].find(isKnown);
    if (known !== undefined) ICAL.TimezoneService.register(new NamedZone(tzid, known), tzid);
  }
}

function isKnown(name: string | undefined): boolean {
  try {
    return name !== undefined && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}
