/** A list of preferences: the field of the API, and what it can hold. */
export interface PreferenceList {
  name: "products" | "types" | "statuses";
  title: string;
  values: readonly string[];
  /** Says that there are more values. */
  hint: string | null;
}
