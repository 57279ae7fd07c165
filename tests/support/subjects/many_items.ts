import { makeItem } from "../app.ts";

/** A snapshot with this number of items, as JSON. */
export function makeSnapshot(count: number, fields: Record<string, unknown> = {}): string {
  return JSON.stringify(
    Array.from(
      { length: count },
      (_, index) =>
        makeItem(index + 1, { feature_description: `${"word ".repeat(40)}${index}`, ...fields }),
    ),
  );
}
