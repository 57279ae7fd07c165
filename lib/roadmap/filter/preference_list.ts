/** A list of preferences: the field of the API, and what it can hold. */
export interface PreferenceList {
  name: ListName;
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

/** The lists of preferences, and what one of their values is called, and all of them. */
export const PREFERENCE_LISTS = {
  products: { title: "Products", one: "product" },
  types: { title: "Types", one: "type" },
  statuses: { title: "Statuses", one: "status" },
  tags: { title: "Tags", one: "tag" },
  searches: { title: "Searches", one: "search" },
  due: { title: "Due dates", one: "due date" },
  kinds: { title: "Changes", one: "kind of change" },
} as const;

export type ListName = keyof typeof PREFERENCE_LISTS;

export const LIST_NAMES = Object.keys(PREFERENCE_LISTS) as ListName[];

/** All lists, without a value. */
export function emptyLists(): Record<ListName, never[]> {
  return Object.fromEntries(LIST_NAMES.map((name) => [name, []])) as Record<ListName, never[]>;
}

/** The lists that say which releases are covered; kinds say which changes of these. */
export const RELEASE_LISTS = ["products", "types", "statuses", "tags", "searches", "due"] as const;
