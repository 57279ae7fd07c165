import { z } from "zod";
import { DAY, itemShape } from "./collection.ts";
import type { Change, Field } from "./item.ts";
import { fieldLabel, formatShared, type Variant } from "./variant.ts";

const HIDDEN_FIELDS: readonly Field[] = ["blog_title", "blog_url"];

const ITEM = z.strictObject({ ...itemShape(DAY), last_modified: DAY }).meta({ id: "ReleaseItem" });

/**
 * Variant B: dates, active items only, changes as field names, responses cached in the database.
 */
export const VARIANT_B: Variant = {
  name: "B",
  freshSeconds: 1_800,
  staleSeconds: 900,
  cacheRule: "shared",
  showsInactive: false,
  searchesByMeaning: false,
  hasChangelog: false,
  historyShows: "modification",
  hiddenFields: HIDDEN_FIELDS,

  datePrecision: "day",
  formatDate: (date) => date,

  itemSchema: ITEM,
  changedColumnsSchema: z.array(z.string()).describe("The names of the changed fields"),

  formatItem: (item): z.output<typeof ITEM> => ({
    ...formatShared(item, (date) => date),
    last_modified: item.last_modified,
  }),

  formatHistory: (changes) =>
    [...Map.groupBy(changes, ({ run_id }) => run_id).values()].flatMap((own) => {
      const changed_columns = changedFields(own);
      // Changes that concern no field of this variant make no entry.
      return changed_columns.length > 0 ? [{ changed_columns, last_modified: own[0]!.day }] : [];
    }),

  describeChanges: (changes) => changedFields(changes),
};

function changedFields(changes: readonly Change[]): string[] {
  const fields = changes.flatMap((change) =>
    change.kind === "added" ? change.fields : change.kind === "changed" ? [change.field] : []
  );
  // The words of a name without spaces between them: `ReleaseDate`.
  return [...new Set(fields)].filter((field) => !HIDDEN_FIELDS.includes(field))
    .map((field) => fieldLabel(field).replaceAll(" ", ""));
}
