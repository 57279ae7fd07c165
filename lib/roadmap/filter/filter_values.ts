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
