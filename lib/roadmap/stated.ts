/** What stands in a field that has to have a value, where a source says none (docs/mapping.md). */
export const NOT_STATED = "Not stated";

/** Whether a source says a value; people are shown no stand-in for one. */
export function isStated(value: string): boolean {
  return value !== NOT_STATED;
}
