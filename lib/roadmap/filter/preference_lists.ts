import type { ChangesFilter } from "./filter.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import { type DuePeriod, type FilterValues } from "./filter_values.ts";
import { filterWords, listChosen } from "./filter_words.ts";
import { say } from "../../text/messages.ts";

/** A list of preferences: the field of the API, and what it can hold. */
export interface PreferenceList {
  name: PreferenceName;
  title: string;
  values: readonly string[];
  /** What values are called, where that is something else. */
  labels?: Readonly<Record<string, string>>;
  /** How many releases each value finds; absent: it is not said. */
  counts?: Readonly<Record<string, number>>;
  /** Says that there are more values. */
  hint: string | null;
}

/** What a subscription covers: every release, those that match its lists and watched ones, or these. */
export const SCOPES = ["all", "chosen", "watched"] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * The lists of preferences by their names in the API and in forms: the parameter of the filter, and
 * what messages call one of their values.
 */
export const PREFERENCE_LISTS = {
  products: { parameter: "product_name", one: "product" },
  types: { parameter: "release_type", one: "type" },
  statuses: { parameter: "release_status", one: "status" },
  tags: { parameter: "tag", one: "tag" },
  sources: { parameter: "source", one: "source" },
  searches: { parameter: "q", one: "search" },
  due: { parameter: "due", one: "due" },
  date_name: { parameter: "date_name", one: "date" },
  kinds: { parameter: "kind", one: "kind" },
} as const satisfies Record<string, { parameter: keyof ChangesFilter; one: string }>;

/** What a list is called. */
export function titleList(name: PreferenceName): string {
  return say(`preference.${name}`);
}

export type PreferenceName = keyof typeof PREFERENCE_LISTS;

export const PREFERENCE_NAMES = Object.keys(PREFERENCE_LISTS) as PreferenceName[];

/** All lists, without a value. */
export function emptyLists(): Record<PreferenceName, never[]> {
  return Object.fromEntries(PREFERENCE_NAMES.map((name) => [name, []])) as Record<
    PreferenceName,
    never[]
  >;
}

/** The lists that say which releases are covered; kinds say which changes of these. */
export const RELEASE_LISTS = [
  "products",
  "types",
  "statuses",
  "tags",
  "sources",
  "searches",
  "due",
] as const;

export type PreferenceLists =
  & Record<Exclude<PreferenceName, "due" | "kinds">, string[]>
  & { due: DuePeriod[]; kinds: ChangeKind[] };

/**
 * Lists as a filter, which has no empty ones, and each value once, sorted: the same lists are the same
 * filter.
 *
 * ```ts
 * const filter = filterOf({ ...emptyLists(), products: ["Maps", "Mail", "Maps"] });
 * if (JSON.stringify(filter) !== '{"product_name":["Mail","Maps"]}') throw new Error();
 * if (listsOf(filter).products.join() !== "Mail,Maps") throw new Error();
 * ```
 */
export function filterOf(lists: PreferenceLists): ChangesFilter {
  return Object.fromEntries(
    PREFERENCE_NAMES.filter((name) => lists[name].length > 0)
      .map((name) => [PREFERENCE_LISTS[name].parameter, [...new Set(lists[name])].sort()]),
  );
}

/** A filter as lists. */
export function listsOf(filter: ChangesFilter): PreferenceLists {
  return Object.fromEntries(
    PREFERENCE_NAMES.map((name) => [name, filter[PREFERENCE_LISTS[name].parameter] ?? []]),
  ) as unknown as PreferenceLists;
}

/** Whether a filter says which releases, and not only which of their changes, or by which date. */
export function choosesReleases(
  { kind: _, date_name: _date, ...releases }: ChangesFilter,
): boolean {
  return Object.values(releases).some((values) => values.length > 0);
}

/** What a filter demands that no subscription can store, in words. */
export function describeUnstored(filter: FilterValues): string[] {
  const stored = Object.values(PREFERENCE_LISTS).map(({ parameter }): string => parameter);
  return listChosen(filter)
    .filter(({ names: [name] }) => !stored.includes(name!) && filterWords(name!).about !== "scope")
    .map(({ words }) => words);
}

/** The part of a form of preferences that says what it covers. */
interface FormFields {
  get(name: string): unknown;
  getAll(name: string): unknown[];
  has(name: string): boolean;
}

/** What a form of preferences says, and what is wrong with it. */
export interface FormChoice {
  lists: Record<PreferenceName, string[]>;
  /** A sentence for each list that is not clear. */
  mistakes: Partial<Record<PreferenceName, string>>;
}

/**
 * Reads what a form covers. A list without a chosen value covers all of them. Where some are stored,
 * the form has to say so (`every` names the list): nobody who takes a value off gets more.
 */
export function readPreferenceForm(
  form: FormFields,
  stored: Partial<Record<PreferenceName, readonly string[]>> = {},
): FormChoice {
  const every = new Set(form.getAll("every"));
  const scope = SCOPES.find((scope) => scope === form.get("scope")) ?? null;
  function read(name: PreferenceName): string[] {
    if (every.has(name)) return [];
    const values = form.getAll(name) as string[];
    if (name !== "date_name") return values;
    // The release date is a choice without a name; a form that does not offer any leaves what is stored.
    return form.has(name) ? values.filter((value) => value !== "") : [...stored[name] ?? []];
  }
  const narrows = scope === "chosen" ||
    scope === null && RELEASE_LISTS.some((name) => read(name).length > 0);
  const names = PREFERENCE_NAMES.filter((name) =>
    narrows || !(RELEASE_LISTS as readonly string[]).includes(name)
  );
  const lists: FormChoice["lists"] = emptyLists();
  for (const name of names) lists[name] = read(name);
  const mistakes = Object.fromEntries(
    names.filter((name) => name !== "date_name")
      .filter((name) => stored[name]?.length && lists[name].length === 0 && !every.has(name))
      .map((name) => [name, say("preference.missing", { all: say(`preference_all.${name}`) })]),
  );
  return { lists, mistakes };
}
