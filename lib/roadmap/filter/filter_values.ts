import {
  daysBefore,
  formatDay,
  isCalendarDate,
  lastDayOfMonth,
  quarterBoundedBy,
  quarterDays,
} from "../../text/dates.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import type { ListedItem } from "../item.ts";

/** A filter as an address holds it: texts, and lists of them. */
type Given = Readonly<Record<string, string | readonly string[]>>;

/** What a parameter is about; in this order a title names what is chosen. */
const ABOUT = ["question", "subject", "state", "plan", "change", "scope"] as const;

/** How a parameter of the filter is given, said and taken off. */
interface FilterParameter {
  /** A `list` may repeat, and any of its values will do; a `flag` is `true`, or absent. */
  readonly takes: "list" | "flag" | "one";
  readonly about: (typeof ABOUT)[number];
  /** What it demands, as words within a sentence; a list names its values. */
  readonly words?: (value: string, filter: Given) => string[];
  /** The parameter that it is said and taken off with. */
  readonly with?: string;
}

/**
 * The parameters of the filter, in the order in which addresses write them. What each demands of a
 * release stands in `filters_sql.ts`; all else that knows them goes over these two tables.
 */
export const FILTER_PARAMETERS = {
  product_name: { takes: "list", about: "subject" },
  release_type: { takes: "list", about: "state" },
  release_status: { takes: "list", about: "state" },
  tag: { takes: "list", about: "subject" },
  source: { takes: "list", about: "subject" },
  modified_within_days: {
    takes: "one",
    about: "change",
    words: (days) =>
      days === "" ? [] : [
        days === "1" ? "modified since yesterday" : `modified within ${days} days`,
      ],
  },
  modified_since: {
    takes: "one",
    about: "change",
    words: (day) => day === "" ? [] : [`modified since ${showDay(day)}`],
  },
  release_date_from: {
    takes: "one",
    about: "plan",
    words: (from, { release_date_to }) => describeDates(from, release_date_to as string),
  },
  release_date_to: { takes: "one", about: "plan", with: "release_date_from" },
  due: { takes: "one", about: "plan", words: describeDue },
  q: {
    takes: "one",
    about: "question",
    words: (q) => q.trim() === "" ? [] : [`“${shorten(toLine(q.trim()), MAX_VALUE_LENGTH)}”`],
  },
  match: { takes: "one", about: "question", with: "q" },
  include_inactive: {
    takes: "flag",
    about: "scope",
    words: (flag) => flag === "" ? [] : ["including removed"],
  },
} as const satisfies Readonly<Record<string, FilterParameter>>;

export type FilterName = keyof typeof FILTER_PARAMETERS;
/** A parameter that takes several values. */
export type ListName = {
  [Name in FilterName]: (typeof FILTER_PARAMETERS)[Name]["takes"] extends "list" ? Name
    : never;
}[FilterName];

type TextName = Exclude<FilterName, ListName>;

/** A filter as forms and addresses hold it: texts, and lists of them; what is empty is absent. */
export type FilterValues =
  & { readonly [Name in ListName]: readonly string[] }
  & { readonly [Name in TextName]: string };

/** All parameters, in the order in which addresses write them. */
export const FILTER_NAMES = Object.keys(FILTER_PARAMETERS) as FilterName[];

/** The names of the parameters that take several values. */
export const LIST_NAMES = FILTER_NAMES.filter(isList);

const TEXT_NAMES = FILTER_NAMES.filter((name) => !isList(name)) as TextName[];

function isList(name: FilterName): name is ListName {
  return FILTER_PARAMETERS[name].takes === "list";
}

/** How a parameter is described. */
export function filterParameter(name: FilterName): FilterParameter {
  return FILTER_PARAMETERS[name];
}

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
  return FILTER_NAMES.flatMap((name) => {
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
  const parts = SAID.flatMap((name) => partsOf(name, filter));
  return parts.map(({ first, later }, place) => place === 0 ? first : later).join(", ");
}

/** What is said of a filter, by the parameters that say it, in the order of a title. */
const SAID = ABOUT.flatMap((about) =>
  FILTER_NAMES.filter((name) =>
    filterParameter(name).about === about && filterParameter(name).with === undefined
  )
);

function partsOf(name: FilterName, filter: FilterValues): Part[] {
  const { about, words } = filterParameter(name);
  if (!isList(name)) return (words?.(filter[name], filter) ?? []).map(phrase);
  const groups = name === "tag" ? [...groupTags(filter.tag).values()] : [filter[name]];
  return groups.flatMap((values) => nameValues(values, about === "state" ? value : proper));
}

/** A choice of a filter that can be taken off on its own. */
interface ChosenPart {
  /** The parameters that hold it; only one value of a list. */
  names: readonly FilterName[];
  words: string;
  /** What a filter has instead when it is taken off. */
  without: Partial<FilterValues>;
}

/**
 * What a filter demands beside its question, piece by piece.
 *
 * ```ts
 * const filter = { ...NO_FILTER, product_name: ["Mail", "Maps"], release_date_to: "Q3 2026" };
 * const words = listChosen(filter).map(({ words }) => words).join("; ");
 * if (words !== "Mail; Maps; planned until Q3 2026") throw new Error(words);
 * if (listChosen(filter)[0]!.without.product_name!.join() !== "Maps") throw new Error();
 * ```
 */
export function listChosen(filter: FilterValues): ChosenPart[] {
  return SAID.filter((name) => name !== "q").flatMap((name): ChosenPart[] => {
    if (isList(name)) {
      return filter[name].map((value) => ({
        names: [name],
        words: value,
        without: { [name]: filter[name].filter((one) => one !== value) },
      }));
    }
    const names = FILTER_NAMES.filter((one) => one === name || filterParameter(one).with === name);
    const without = Object.fromEntries(names.map((one) => [one, NO_FILTER[one]]));
    return (filterParameter(name).words?.(filter[name], filter) ?? [])
      .map((words) => ({ names, words, without }));
  });
}

/** The parameters of a filter that a form does not show, as its hidden fields. */
export function hiddenPairs(
  filter: Partial<Record<FilterName, unknown>>,
  shown: readonly FilterName[],
): [FilterName, string][] {
  return filterPairs(filter).filter(([name]) => !shown.includes(name));
}

/**
 * The filters that a search is tried without where it finds nothing: each list, what is asked of the
 * planned date, of the last change, and what else may leave all out.
 */
export const FILTER_GROUPS: readonly (readonly FilterName[])[] = [
  ...Map.groupBy(
    FILTER_NAMES.filter((name) => !["question", "scope"].includes(filterParameter(name).about)),
    (name) => isList(name) ? name : filterParameter(name).about,
  ).values(),
];

/** A part of a title, in its form at the start and in its form after another part. */
interface Part {
  first: string;
  later: string;
}

function proper(text: string): Part {
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
  { release_date_from, release_date_to }: Pick<
    FilterValues,
    "release_date_from" | "release_date_to"
  >,
): string[] {
  return describeDates(release_date_from, release_date_to);
}

function describeDates(from: string, to: string): string[] {
  const [first, last] = showRange(from, to);
  if (from && to) return [first === last ? `planned for ${first}` : `planned ${first} to ${last}`];
  if (from) return [`planned from ${first} on`];
  return to ? [`planned until ${last}`] : [];
}

/** Quarters where both ends are ends of quarters, else a month or days. */
function showRange(from: string, to: string): [first: string, last: string] {
  const quarters = [toQuarter(from, "first"), toQuarter(to, "last")] as const;
  if (quarters[0] !== null && quarters[1] !== null) return [...quarters] as [string, string];
  const [first, last] = [quarterDays(from)?.first ?? from, quarterDays(to)?.last ?? to];
  const month = monthOf(first, last);
  return month ? [month, month] : [showDay(first), showDay(last)];
}

/** A bound as a quarter; empty where there is none, null where it is a day inside of one. */
function toQuarter(bound: string, end: "first" | "last"): string | null {
  return bound === "" || quarterDays(bound) ? bound : quarterBoundedBy(bound, end);
}

/** The month that two days are the first and the last of, such as `Oct 2026`. */
function monthOf(first: string, last: string): string | null {
  if (!isCalendarDate(first) || !first.endsWith("-01")) return null;
  const [year, month] = first.split("-").map(Number);
  return last === lastDayOfMonth(year!, month!) ? formatDay(first).slice("1 ".length) : null;
}

/** An address may hold anything, until the server has read it. */
function showDay(day: string): string {
  return isCalendarDate(day) ? formatDay(day) : day;
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
