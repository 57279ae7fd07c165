import type { CalendarItem } from "./calendar_sql.ts";
import type { Variant } from "../roadmap/variant.ts";
import { categoriesOf } from "../roadmap/tag_groups.ts";
import { escapeIcalText, formatIcalLines } from "./ical.ts";
import { cleanName } from "../text/plain_text.ts";
import { toLine } from "../text/phrases.ts";

/** The metadata of a calendar. */
export interface Calendar {
  name: string;
  description: string;
  /** The site, absolute. */
  site: string;
  /** The page with the same content, absolute. */
  page: string;
  /** The calendar's own address, absolute. */
  self: string;
  /** The refresh interval for clients, in minutes. */
  ttl: number;
  /** How long before a day its alarms are, as durations of RFC 5545 (section 3.3.6), such as `P7D`. */
  alarms: readonly string[];
}

/** RFC 5545, section 3.6: a calendar has at least one component; an empty one gets this. */
const NO_EVENTS = [
  "BEGIN:VTIMEZONE",
  "TZID:Etc/UTC",
  "BEGIN:STANDARD",
  "DTSTART:19700101T000000",
  "TZOFFSETFROM:+0000",
  "TZOFFSETTO:+0000",
  "END:STANDARD",
  "END:VTIMEZONE",
];

/** iCalendar (RFC 5545 and 7986): an event for the day of each release. */
export function formatCalendar(
  variant: Variant,
  { name, description, site, page, self, ttl, alarms }: Calendar,
  items: readonly CalendarItem[],
): string {
  const { hostname } = new URL(site);
  return formatIcalLines([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Roadcast//Roadcast//EN",
    `NAME:${escapeIcalText(name)}`,
    // The equivalents of NAME and REFRESH-INTERVAL that Apple, Google and Microsoft support.
    `X-WR-CALNAME:${escapeIcalText(name)}`,
    `DESCRIPTION:${escapeIcalText(description)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:PT${ttl}M`,
    `X-PUBLISHED-TTL:PT${ttl}M`,
    `SOURCE;VALUE=URI:${self}`,
    `URL:${page}`,
    ...items.length === 0 ? NO_EVENTS : items.flatMap((item) => [
      "BEGIN:VEVENT",
      `UID:${item.release_item_id}@${hostname}`,
      ...formatEvent(variant, site, item),
      ...item.is_ahead ? alarms.flatMap((alarm) => formatAlarm(alarm, summarise(item))) : [],
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ]);
}

/** DTSTAMP is the time of the last change, so the response stays the same while nothing changes. */
function formatEvent(variant: Variant, site: string, item: CalendarItem): string[] {
  const modified = `${item.last_modified.replaceAll("-", "")}T000000Z`;
  return [
    `DTSTAMP:${modified}`,
    `LAST-MODIFIED:${modified}`,
    `SEQUENCE:${item.change_count}`,
    `DTSTART;VALUE=DATE:${item.release_date.replaceAll("-", "")}`,
    "TRANSP:TRANSPARENT",
    // Calendars drop what is cancelled without a word, so for a day the name alone says it.
    ...item.is_cancelled ? ["STATUS:CANCELLED"] : [],
    `SUMMARY:${escapeIcalText(summarise(item))}`,
    `DESCRIPTION:${escapeIcalText(describe(variant, item))}`,
    `CATEGORIES:${categoriesOf(item).map((value) => escapeIcalText(toLine(value))).join(",")}`,
    `URL:${site}/release/${item.release_item_id}`,
  ];
}

function summarise(item: CalendarItem): string {
  const name = `${cleanName(item.feature_name)} (${item.product_names.map(toLine).join(", ")})`;
  return item.active ? name : `Removed: ${name}`;
}

/** RFC 5545, section 3.6.6: the day of an event begins at midnight where its reader is. */
function formatAlarm(before: string, summary: string): string[] {
  return [
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    `TRIGGER:-${before}`,
    `DESCRIPTION:${escapeIcalText(summary)}`,
    "END:VALARM",
  ];
}

/** The event is on a day; a variant that shows quarters also names the quarter. */
function describe(variant: Variant, item: CalendarItem): string {
  const planned = variant.formatDate(item.release_date);
  return [
    ...planned === item.release_date ? [] : [`Release date: ${planned}`],
    toLine(`${item.release_status}, ${item.release_type}`),
    ...item.active ? [] : ["Removed from the roadmap"],
  ].join("\n");
}
