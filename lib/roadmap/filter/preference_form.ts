import {
  emptyLists,
  LIST_NAMES,
  type ListName,
  PREFERENCE_LISTS,
  RELEASE_LISTS,
  SCOPES,
} from "./preference_list.ts";

/** The part of a form of preferences that says what it covers. */
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
  /** Sentences about what was chosen and does not count. */
  notes: string[];
}

/**
 * Reads what a form covers. A list covers all values only where the form says so (`every` names
 * it): a form without a ticked value has chosen nothing yet, rather than everything.
 */
export function readPreferenceForm(
  form: FormFields,
  stored: Partial<Record<ListName, readonly string[]>> = {},
): FormChoice {
  const every = new Set(form.getAll("every"));
  const scope = SCOPES.find((scope) => scope === form.get("scope")) ?? null;
  const read = (name: ListName) => every.has(name) ? [] : form.getAll(name) as string[];
  const narrows = scope === "chosen" ||
    scope === null && RELEASE_LISTS.some((name) => read(name).length > 0);
  // A form offers tags, sources and searches only where there are some, and due dates since a later
  // version.
  const isOffered = (name: ListName) =>
    !["tags", "sources", "searches", "due"].includes(name) || form.has(name) ||
    (stored[name] ?? []).length > 0;
  const names = LIST_NAMES.filter((name) => narrows || name === "kinds").filter(isOffered);
  const lists: FormChoice["lists"] = emptyLists();
  for (const name of names) lists[name] = read(name);
  const problems = names
    .filter((name) => lists[name].length === 0 && !every.has(name))
    .filter((name) => scope !== null || stored[name]?.length)
    .map((name) => {
      const { one, title } = PREFERENCE_LISTS[name];
      return `Choose at least one ${one}, or all ${title.toLowerCase()}.`;
    });
  if (narrows && problems.length === 0 && LIST_NAMES.every((name) => lists[name].length === 0)) {
    problems.push("Choose products, types or statuses, or all releases.");
  }
  const notes = LIST_NAMES.filter((name) => every.has(name) && form.has(name)).map((name) => {
    const all = `“All ${PREFERENCE_LISTS[name].title.toLowerCase()}”`;
    return `${all} is ticked, so the single ones beside it do not count: untick it to choose them.`;
  });
  return { lists, problems, notes };
}
