import type { ChangesFilter } from "../changes/change_entries_sql.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import type { DuePeriod } from "./filter_values.ts";

/** A list of preferences: the field of the API, and what it can hold. */
export interface PreferenceList {
  name: PreferenceName;
  title: string;
  values: readonly string[];
  /** What values are called, where that is something else. */
  labels?: Readonly<Record<string, string>>;
  /** Says that there are more values. */
  hint: string | null;
}

/** What a subscription covers: every release, those that match its lists and watched ones, or these. */
export const SCOPES = ["all", "chosen", "watched"] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * The lists of preferences by their names in the API and in forms: the parameter of the filter, and
 * what one of their values is called, and all of them.
 */
export const PREFERENCE_LISTS = {
  products: { parameter: "product_name", title: "Products", one: "product" },
  types: { parameter: "release_type", title: "Types", one: "type" },
  statuses: { parameter: "release_status", title: "Statuses", one: "status" },
  tags: { parameter: "tag", title: "Tags", one: "tag" },
  sources: { parameter: "source", title: "Sources", one: "source" },
  searches: { parameter: "q", title: "Searches", one: "search" },
  due: { parameter: "due", title: "Due dates", one: "due date" },
  kinds: { parameter: "kind", title: "Changes", one: "kind of change" },
} as const satisfies Record<
  string,
  { parameter: keyof ChangesFilter; title: string; one: string }
>;

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

/** The values of each list. */
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

/** Whether a filter says which releases, and not only which of their changes. */
export function choosesReleases({ kind: _, ...releases }: ChangesFilter): boolean {
  return Object.values(releases).some((values) => values.length > 0);
}

/** The part of a form of preferences that says what it covers. */
interface FormFields {
  get(name: string): unknown;
  getAll(name: string): unknown[];
  has(name: string): boolean;
}

/** What a form of preferences says, and what it leaves open. */
export interface FormChoice {
  lists: Record<PreferenceName, string[]>;
  /** Sentences; empty where all is said. */
  problems: string[];
  /** Sentences about what was chosen and does not count. */
  notes: string[];
}

/**
 * Reads what a form covers. A list covers all values only where the form says so (`every` names
 * it): a form without a ticked value has chosen nothing yet, rather than everything.
 */
export function readPreferenceForm(
  form: FormFields,
  stored: Partial<Record<PreferenceName, readonly string[]>> = {},
): FormChoice {
  const every = new Set(form.getAll("every"));
  const scope = SCOPES.find((scope) => scope === form.get("scope")) ?? null;
  const read = (name: PreferenceName) => every.has(name) ? [] : form.getAll(name) as string[];
  const narrows = scope === "chosen" ||
    scope === null && RELEASE_LISTS.some((name) => read(name).length > 0);
  // A form offers tags, sources and searches only where there are some, and due dates since a later
  // version.
  const isOffered = (name: PreferenceName) =>
    !["tags", "sources", "searches", "due"].includes(name) || form.has(name) ||
    (stored[name] ?? []).length > 0;
  const names = PREFERENCE_NAMES.filter((name) => narrows || name === "kinds").filter(isOffered);
  const lists: FormChoice["lists"] = emptyLists();
  for (const name of names) lists[name] = read(name);
  const problems = names
    .filter((name) => lists[name].length === 0 && !every.has(name))
    .filter((name) => scope !== null || stored[name]?.length)
    .map((name) => {
      const { one, title } = PREFERENCE_LISTS[name];
      return `Choose at least one ${one}, or all ${title.toLowerCase()}.`;
    });
  if (
    narrows && problems.length === 0 && PREFERENCE_NAMES.every((name) => lists[name].length === 0)
  ) {
    problems.push("Choose products, types or statuses, or all releases.");
  }
  const notes = PREFERENCE_NAMES.filter((name) => every.has(name) && form.has(name)).map((name) => {
    const all = `“All ${PREFERENCE_LISTS[name].title.toLowerCase()}”`;
    return `${all} is ticked, so the single ones beside it do not count: untick it to choose them.`;
  });
  return { lists, problems, notes };
}
