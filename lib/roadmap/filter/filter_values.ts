import { daysBefore } from "../../text/dates.ts";
import { MAX_VALUES } from "../../text/values.ts";
import type { ListedItem } from "../item.ts";
import { statedOf } from "../stated.ts";

/**
 * The parameters of the filter, in the order in which addresses write them, and how each is given: a
 * `list` may repeat, and any of its values will do; a `flag` is `true`, or absent. What each is called
 * stands in `filter_words.ts`, what it demands of a release in `filters_sql.ts`; all else that knows
 * them goes over these three tables, which the compiler keeps complete.
 */
export const FILTER_PARAMETERS = {
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
  date_name: "one",
  q: "one",
  match: "one",
  include_inactive: "flag",
} as const satisfies Readonly<Record<string, "list" | "flag" | "one">>;

export type FilterName = keyof typeof FILTER_PARAMETERS;
/** A parameter that takes several values. */
export type ListName = {
  [Name in FilterName]: (typeof FILTER_PARAMETERS)[Name] extends "list" ? Name
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

/** Whether a parameter takes several values. */
export function isList(name: FilterName): name is ListName {
  return FILTER_PARAMETERS[name] === "list";
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

/** Reads a filter from the query of an address. */
export function readFilterValues(query: URLSearchParams): FilterValues {
  return {
    ...readEach(LIST_NAMES, (name) => readList(query, [name])),
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
    if (!value && value !== 0) return [];
    return [value].flat().map((one): [FilterName, string] => [name, String(one)]);
  });
}

/**
 * The values of a list, by each of its names in an address or a form: each once, the first `most`,
 * sorted by code unit, so the order in a request does not matter. The only way to read a list there,
 * so that nothing behind it sees more.
 */
export function readList(
  query: Pick<URLSearchParams, "getAll">,
  names: readonly string[],
  most = MAX_VALUES,
): string[] {
  const given = names.flatMap((name) => query.getAll(name)).filter((value) => value !== "");
  return [...new Set(given)].slice(0, most).sort();
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

/** The parameters of a filter that a form does not show, as its hidden fields. */
export function hiddenPairs(
  filter: Partial<Record<FilterName, unknown>>,
  shown: readonly FilterName[],
): [FilterName, string][] {
  return filterPairs(filter).filter(([name]) => !shown.includes(name));
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
  const own = statedOf(...product_names, release_type, release_status);
  const values = listTagGroups(tags).flatMap(([, values]) => values).filter((tag) =>
    !own.includes(tag)
  );
  return [...own, ...new Set(values)];
}
