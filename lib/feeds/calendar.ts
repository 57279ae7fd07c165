/**
 * The calendar of releases: each is an event on its day. `UID` is permanent and has the host of
 * `BASE_URL` without its port; `SEQUENCE` counts the changes of the release; `LAST-MODIFIED` and
 * `DTSTAMP` are the day of the last one, so a calendar stays the same while nothing changes. A release
 * that was removed within the last 90 days is `STATUS:CANCELLED`, and an earlier one too with
 * `include_inactive=true`.
 *
 * @module
 */
import { categoriesOf } from "../roadmap/filter/filter_values.ts";
import { statedOf } from "../roadmap/stated.ts";
import type { Variant } from "../roadmap/variant.ts";
import { nameKind } from "../roadmap/changes/kinds.ts";
import { daysBefore, showQuarter } from "../text/dates.ts";
import { joinParts, toLine } from "../text/phrases.ts";
import { cleanName } from "../text/plain_text.ts";
import type { CalendarItem } from "./calendar_sql.ts";
import { language, say } from "../text/messages.ts";

/** The metadata of a calendar. */
interface Calendar {
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
    `PRODID:-//Roadcast//Roadcast//${language().tag.toUpperCase()}`,
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
      `UID:${idOf(item)}@${hostname}`,
      ...formatEvent(variant, site, item),
      ...item.is_ahead ? alarms.flatMap((alarm) => formatAlarm(alarm, summarise(item))) : [],
      "END:VEVENT",
    ]),
    "END:VCALENDAR",
  ]);
}

/** Each date of a release has an event of its own. */
function idOf({ release_item_id, date_name }: CalendarItem): string {
  return date_name === undefined
    ? release_item_id
    : `${release_item_id}-${encodeURIComponent(date_name.toLowerCase())}`;
}

/** DTSTAMP is the time of the last change, so the response stays the same while nothing changes. */
function formatEvent(variant: Variant, site: string, item: CalendarItem): string[] {
  const modified = `${item.last_modified.replaceAll("-", "")}T000000Z`;
  return [
    `DTSTAMP:${modified}`,
    `LAST-MODIFIED:${modified}`,
    `SEQUENCE:${item.change_count}`,
    `DTSTART;VALUE=DATE:${item.release_date.replaceAll("-", "")}`,
    // Section 3.6.1 needs no end of a whole day, but some calendars drop an event without one.
    `DTEND;VALUE=DATE:${daysBefore(item.release_date, -1).replaceAll("-", "")}`,
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
  const { date_name, feature_name } = item;
  const released = cleanName(feature_name);
  const name = say("calendar.name", {
    name: date_name === undefined
      ? released
      : say("list.titled", { title: toLine(date_name), text: released }),
    products: joinParts(item.product_names.map(toLine)),
  });
  const kind = !item.active ? "removed" : item.tone === "stopped" ? "cancelled" : null;
  return kind === null ? name : say("list.titled", { title: nameKind(kind), text: name });
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
    ...planned === item.release_date ? [] : [say("calendar.date", { date: showQuarter(planned) })],
    ...[joinParts(statedOf(item.release_status, item.release_type).map(toLine))].filter(Boolean),
    ...item.active ? [] : [say("change.removed")],
  ].join("\n");
}

/** RFC 5545, section 3.1: a line has at most 75 octets, its line break not counted. */
const MAX_OCTETS = 75;
/** No character of UTF-16 takes more octets in UTF-8. */
const MAX_OCTETS_OF_UNIT = 3;

/** Section 3.1: controls but the tab stand nowhere; those of Unicode that break lines break them here too. */
// deno-lint-ignore no-control-regex
const BREAKS = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/g;
// deno-lint-ignore no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** A calendar has thousands of texts, of which few hold any of these. */
// deno-lint-ignore no-control-regex
const SPECIAL = /[\\;,\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufffe\uffff]/;
// deno-lint-ignore no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * A text as the value of a property of iCalendar (RFC 5545, section 3.3.11).
 *
 * ```ts
 * const text = escapeIcalText("a, b; c\\d\r\nBEGIN:VEVENT\u0001");
 * if (text !== "a\\, b\\; c\\\\d\\nBEGIN:VEVENT") throw new Error(text);
 * ```
 */
export function escapeIcalText(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.toWellFormed().replace(/[\\;,]/g, "\\$&").replace(BREAKS, "\\n")
    .replace(FORBIDDEN, "");
}

/**
 * Lines of iCalendar, each folded where it is too long, never inside a character.
 *
 * ```ts
 * const text = formatIcalLines(["SUMMARY:" + "é".repeat(40)]);
 * if (text !== `SUMMARY:${"é".repeat(33)}\r\n ${"é".repeat(7)}\r\n`) throw new Error(text);
 * ```
 */
export function formatIcalLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

function foldLine(line: string): string {
  const most = ASCII.test(line) ? 1 : MAX_OCTETS_OF_UNIT;
  if (line.length * most <= MAX_OCTETS) return line;
  const pieces: string[] = [];
  let start = 0;
  let octets = 0;
  for (let at = 0; at < line.length;) {
    const code = line.codePointAt(at)!;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (octets + size > MAX_OCTETS) {
      pieces.push(line.slice(start, at));
      start = at;
      // The space before what follows counts.
      octets = 1;
    }
    octets += size;
    at += code < 0x10000 ? 1 : 2;
  }
  pieces.push(line.slice(start));
  return pieces.join("\r\n ");
}
