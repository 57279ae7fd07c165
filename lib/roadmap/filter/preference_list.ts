/** A list of preferences: the field of the API, and what it can hold. */
export interface PreferenceList {
  name: ListName;
  title: string;
  values: readonly string[];
  /** Says that there are more values. */
  hint: string | null;
}

/** What a subscription covers: every release, those that match its lists and watched ones, or these. */
export const SCOPES = ["all", "chosen", "watched"] as const;

export type Scope = (typeof SCOPES)[number];

/** The lists of preferences, and what one of their values is called. */
export const PREFERENCE_LISTS = {
  products: "product",
  types: "type",
  statuses: "status",
} as const;

export type ListName = keyof typeof PREFERENCE_LISTS;

export const LIST_NAMES = Object.keys(PREFERENCE_LISTS) as ListName[];
