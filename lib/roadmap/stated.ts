import { say } from "../text/say.ts";

/** What stands in a field that has to have a value, where a source says none (docs/mapping.md). */
const NOT_STATED = "Not stated";

/** Whether a source says a value; people are shown no stand-in for one. */
export function isStated(value: string): boolean {
  return value !== NOT_STATED;
}

/** Those of some values that a source says. */
export function statedOf(...values: readonly (string | null)[]): string[] {
  return values.filter((value) => value !== null && isStated(value)) as string[];
}

/** A value as a choice. */
export function valueInWords(value: string): string {
  return isStated(value) ? value : say("filter.none");
}
