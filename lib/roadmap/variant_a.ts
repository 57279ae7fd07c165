import { z } from "zod";
import { DAY, itemShape, QUARTER } from "./collection.ts";
import { formatQuarter } from "../text/dates.ts";
import type { Change } from "./item.ts";
import { splitLists } from "./changes/change_in_words.ts";
import { fieldLabel, formatShared, type Variant } from "./variant.ts";

const ITEM = z.strictObject({
  ...itemShape(QUARTER),
  blog_title: z.string().nullable(),
  blog_url: z.string().nullable(),
  last_modified: DAY,
  active: z.boolean().describe("false: removed from the roadmap"),
}).meta({ id: "ReleaseItem" });

/** Variant A: quarters, removed items, changes in words, a changelog, search by meaning. */
export const VARIANT_A: Variant = {
  name: "A",
  freshSeconds: 14_400,
  staleSeconds: 3_600,
  cacheRule: "dataVersion",
  showsInactive: true,
  searchesByMeaning: true,
  hasChangelog: true,
  historyShows: "change",
  hiddenFields: [],

  datePrecision: "quarter",
  formatDate: formatQuarter,

  itemSchema: ITEM,
  changedColumnsSchema: z.string().describe("One change in words"),

  formatItem: (item): z.output<typeof ITEM> => ({
    ...formatShared(item, formatQuarter),
    blog_title: item.blog_title,
    blog_url: item.blog_url,
    last_modified: item.last_modified,
    active: item.active,
  }),

  formatHistory: (changes) =>
    changes.flatMap((change) =>
      describeChange(change).map((changed_columns) => ({
        changed_columns,
        last_modified: change.day,
      }))
    ),

  describeChanges: (changes) => changes.flatMap(describeChange),
};

/**
 * One change in words (interface specification, 2.5); one of tags by their groups.
 *
 * ```ts
 * const moved = { kind: "changed", field: "release_date", old_value: null, new_value: "2026-09-30" } as const;
 * if (describeChange(moved).join() !== "Release Date (none) -> 2026-09-30") throw new Error();
 * ```
 */
export function describeChange(change: Change): string[] {
  switch (change.kind) {
    case "added":
      return ["Roadmap Item Added"];
    case "removed":
      return ["Removed from Roadmap"];
    case "restored":
      return ["Restored to Roadmap"];
    case "changed":
      return splitLists(change).map(({ group, old_value, new_value }) => {
        return `${fieldLabel(change.field, group)} ${old_value ?? "(none)"} -> ${
          new_value ?? "(none)"
        }`;
      });
  }
}
