import { daysBefore, formatDay, isCalendarDate, quarterBoundedBy } from "../../text/dates.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import type { ListedItem } from "../item.ts";

/**
 * The parameters of the filter, in the order in which addresses write them; those of a `list` may
 * repeat, and any of their values will do.
 */
const FILTER_PARAMETERS = {
  product_name: "list",
  release_type: "list",
  release_status: "list",
  tag: "list",
  source: "list",
  modified_within_days: "one",
  modified_since: "one",
  release_date_from: "one",
  release_date_to: "one",
  due: "one",
  q: "one",
  match: "one",
  include_inactive: "one",
} as const;

export type FilterName = keyof typeof FILTER_PARAMETERS;
/** A parameter that takes several values. */
export type ListName = {
  [Name in FilterName]: (typeof FILTER_PARAMETERS)[Name] extends "list" ? Name : never;
}[FilterName];

type TextName = Exclude<FilterName, ListName>;

/** A filter as forms and addresses hold it: texts, and lists of them; what is empty is absent. */
export type FilterValues =
  & { readonly [Name in ListName]: readonly string[] }
  & { readonly [Name in TextName]: string };

const NAMES = Object.keys(FILTER_PARAMETERS) as FilterName[];

/** The names of the parameters that take several values. */
export const LIST_NAMES = NAMES.filter((name) => FILTER_PARAMETERS[name] === "list") as ListName[];

const TEXT_NAMES = NAMES.filter((name) => FILTER_PARAMETERS[name] === "one") as TextName[];

/** A filter that lets everything through. */
export const NO_FILTER = readFilterValues(new URLSearchParams());

/** A parsed filter as forms and addresses hold it. */
export function toFilterValues(filter: Partial<Record<FilterName, unknown>>): FilterValues {
  return {
    ...readEach(LIST_NAMES, (name) => (filter[name] ?? []) as readonly string[]),
    ...readEach(TEXT_NAMES, (name) => String(filter[name] || "")),
  };
}

/** Reads a filter from the query of an address: each value of a list once, sorted. */
export function readFilterValues(query: URLSearchParams): FilterValues {
  return {
    ...readEach(LIST_NAMES, (name) => sortValues(query.getAll(name))),
    ...readEach(TEXT_NAMES, (name) => query.get(name)?.trim() ?? ""),
  };
}

function readEach<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;
}

/**
 * The parameters of a filter, without those that are empty.
 *
 * ```ts
 * const filter = readFilterValues(new URLSearchParams("q=a&release_type=B&release_type=A"));
 * const text = JSON.stringify(filterPairs(filter));
 * if (text !== '[["release_type","A"],["release_type","B"],["q","a"]]') throw new Error(text);
 * ```
 */
export function filterPairs(filter: Partial<Record<FilterName, unknown>>): [FilterName, string][] {
  return NAMES.flatMap((name) => {
    const value = filter[name];
    const values = Array.isArray(value) ? value : [value];
    return values.filter((one) => one !== undefined && one !== "" && one !== false)
      .map((one): [FilterName, string] => [name, String(one)]);
  });
}

/** Each value once, sorted by code unit, so the order in a request does not matter. */
function sortValues(values: readonly string[]): string[] {
  return [...new Set(values.filter((value) => value !== ""))].sort();
}

/** When an unfinished release is due, as addresses say it. */
export const DUE_PERIODS = ["overdue", "next7", "next30", "next90"] as const;

export type DuePeriod = (typeof DUE_PERIODS)[number];

/** Whether a text names a period. */
export function isDuePeriod(text: string): text is DuePeriod {
  return (DUE_PERIODS as readonly string[]).includes(text);
}

/** The first and the last day of a period, `YYYY-MM-DD`; overdue has no first one. */
export interface DueDays {
  from?: string;
  to: string;
}

/**
 * The days of a period, counted from a day.
 *
 * ```ts
 * const { from, to } = dueDays("next7", "2026-11-23");
 * if (from !== "2026-11-23" || to !== "2026-11-30") throw new Error(to);
 * if (dueDays("overdue", "2026-11-23").to !== "2026-11-22") throw new Error();
 * ```
 */
export function dueDays(period: DuePeriod, today: string): DueDays {
  if (period === "overdue") return { to: daysBefore(today, 1) };
  return { from: today, to: daysBefore(today, -Number(period.slice("next".length))) };
}

/** What a filter demands of the planned day, as words within a sentence; empty: nothing. */
export function describeDue(due: string): string[] {
  if (due === "") return [];
  return [due === "overdue" ? "overdue" : `due in the next ${due.replace(/\D/g, "")} days`];
}

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
    ...[...describeDateRange(filter), ...describeDue(filter.due), ...describeModification(filter)]
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
export function describeDateRange(
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

/** The groups of tags with their values, in the order of their names. */
export function listTagGroups(
  tags: Readonly<Record<string, string[]>>,
): [group: string, values: string[]][] {
  return Object.entries(tags).sort(([one], [other]) => one < other ? -1 : 1);
}

/**
 * The values of tags such as `Platform:Web` by their groups, which end with the first colon.
 *
 * ```ts
 * const groups = groupTags(["Platform:Web", "Ring:A:B", "Platform:iOS"]);
 * const text = JSON.stringify([...groups]);
 * if (text !== '[["Platform",["Web","iOS"]],["Ring",["A:B"]]]') throw new Error(text);
 * ```
 */
export function groupTags(tags: readonly string[]): Map<string, string[]> {
  const grouped = Map.groupBy(tags, (tag) => tag.split(":")[0]!);
  return new Map(
    [...grouped].map(([group, some]) => [group, some.map((tag) => tag.slice(group.length + 1))]),
  );
}

/** What a release is filed under in feeds and calendars: products, type, status and tags, each once. */
export function categoriesOf(
  { product_names, release_type, release_status, tags }: Pick<
    ListedItem,
    "product_names" | "release_type" | "release_status" | "tags"
  >,
): string[] {
  const own = [...product_names, release_type, release_status];
  const values = listTagGroups(tags).flatMap(([, values]) => values).filter((tag) =>
    !own.includes(tag)
  );
  return [...own, ...new Set(values)];
}
