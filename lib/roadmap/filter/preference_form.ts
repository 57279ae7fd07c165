import { LIST_NAMES, type ListName, PREFERENCE_LISTS, SCOPES } from "./preference_list.ts";

/** The part of a form of preferences that says which releases it covers. */
interface FormFields {
  get(name: string): unknown;
  getAll(name: string): unknown[];
  has(name: string): boolean;
}

/** What a form of preferences says, and what it leaves open. */
export interface FormChoice {
  lists: Record<ListName, string[]>;
  /** Sentences; empty where all is said. */
  problems: string[];
}

/**
 * Reads which releases a form covers. A list covers all values only where the form says so (`every`
 * names it): whoever unticks the last value has chosen nothing yet, rather than everything.
 */
export function readPreferenceForm(
  form: FormFields,
  stored: Partial<Record<ListName, readonly string[]>> = {},
): FormChoice {
  const every = new Set(form.getAll("every"));
  const scope = SCOPES.find((scope) => scope === form.get("scope")) ?? null;
  const narrows = scope === null || scope === "chosen";
  const lists = Object.fromEntries(
    LIST_NAMES.map((name) => [name, narrows && !every.has(name) ? form.getAll(name) : []]),
  ) as Record<ListName, string[]>;
  const isEmpty = LIST_NAMES.every((name) => lists[name].length === 0);
  if (!narrows || (scope === null && isEmpty)) return { lists, problems: [] };
  const isOpen = (name: ListName) =>
    lists[name].length === 0 && !every.has(name) && (scope !== null || stored[name]?.length);
  const open = LIST_NAMES.filter(isOpen);
  const problems = open.map((name) =>
    `Choose at least one ${PREFERENCE_LISTS[name]}, or all ${name}.`
  );
  if (isEmpty && open.length === 0) {
    problems.push("Choose products, types or statuses, or all releases.");
  }
  return { lists, problems };
}
