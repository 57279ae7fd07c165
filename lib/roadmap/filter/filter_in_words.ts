import { groupTags } from "./group_tags.ts";
import { formatDay, isCalendarDate, quarterBoundedBy } from "../../text/dates.ts";
import { shorten } from "../../text/shorten.ts";
import { toLine } from "../../text/to_line.ts";
import { describeDue } from "./due.ts";
import type { FilterValues } from "./filter_values.ts";

/** The most values of a list to name, and characters of each. */
const MAX_NAMED = 3;
const MAX_VALUE_LENGTH = 60;

/**
 * What a filter lets through, as the title of a feed; empty: everything.
 *
 * ```ts
 * const filter = { product_name: ["Power BI"], release_type: [], release_status: ["Shipped"], q: "" };
 * const words = describeFilter({
 *   ...filter, modified_within_days: "", modified_since: "", release_date_from: "2026-07-01",
 *   release_date_to: "2026-09-30", due: "", include_inactive: "", source: [], tag: [], match: "",
 * });
 * if (words !== "Power BI, shipped, planned for Q3 2026") throw new Error(words);
 * ```
 */
export function describeFilter(filter: FilterValues): string {
  const q = filter.q.trim();
  const parts = [
    ...q ? [name(`“${shorten(toLine(q), MAX_VALUE_LENGTH)}”`)] : [],
    ...nameValues(filter.product_name, name),
    ...[...groupTags(filter.tag).values()].flatMap((values) => nameValues(values, name)),
    ...nameValues(filter.source, name),
    ...nameValues(filter.release_type, value),
    ...nameValues(filter.release_status, value),
    ...[...describeDates(filter), ...describeDue(filter.due), ...describeModification(filter)]
      .map(phrase),
    ...filter.include_inactive ? [phrase("including removed")] : [],
  ];
  return parts.map(({ first, later }, place) => place === 0 ? first : later).join(", ");
}

/** A part of a title, in its form at the start and in its form after another part. */
interface Part {
  first: string;
  later: string;
}

function name(text: string): Part {
  return { first: text, later: text };
}

/** “Shipped” after another part is “shipped”; “GA” stays. */
function value(text: string): Part {
  const isWord = /^\p{Lu}\p{Ll}/u.test(text);
  return { first: text, later: isWord ? text[0]!.toLowerCase() + text.slice(1) : text };
}

function phrase(text: string): Part {
  return { first: text[0]!.toUpperCase() + text.slice(1), later: text };
}

/** The values of a list, as one part. */
function nameValues(values: readonly string[], toPart: (text: string) => Part): Part[] {
  if (values.length === 0) return [];
  const named = values.length > MAX_NAMED ? values.slice(0, MAX_NAMED - 1) : values;
  const left = values.length - named.length;
  const [start, ...others] = named.map((text) => toPart(shorten(toLine(text), MAX_VALUE_LENGTH)));
  const rest = [...others.map(({ later }) => later), ...left > 0 ? [`${left} more`] : []];
  return [{
    first: [start!.first, ...rest].join(" or "),
    later: [start!.later, ...rest].join(" or "),
  }];
}

/** What a filter demands of the release date, as words within a sentence; empty: nothing. */
export function describeDates(
  { release_date_from: from, release_date_to: to }: Pick<
    FilterValues,
    "release_date_from" | "release_date_to"
  >,
): string[] {
  const [first, last] = [showBound(from, "first"), showBound(to, "last")];
  if (from && to) return [first === last ? `planned for ${first}` : `planned ${first} to ${last}`];
  if (from) return [`planned from ${first} on`];
  return to ? [`planned until ${last}`] : [];
}

/** A day that begins or ends a quarter stands for it. */
function showBound(bound: string, end: "first" | "last"): string {
  return quarterBoundedBy(bound, end) ?? showDay(bound);
}

/** An address may hold anything, until the server has read it. */
function showDay(day: string): string {
  return isCalendarDate(day) ? formatDay(day) : day;
}

/** What a filter demands of the last change, as words within a sentence; empty: nothing. */
export function describeModification(
  { modified_within_days: days, modified_since: since }: Pick<
    FilterValues,
    "modified_within_days" | "modified_since"
  >,
): string[] {
  const within = days === "1" ? "modified since yesterday" : `modified within ${days} days`;
  return [
    ...days ? [within] : [],
    ...since ? [`modified since ${showDay(since)}`] : [],
  ];
}
