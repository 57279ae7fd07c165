import { z } from "zod";
import { DAY, itemShape } from "./collection.ts";
import type { Change, DatedChange, Field } from "./item.ts";
import { fieldLabel, formatShared, type HistoryEntry, type Variant } from "./variant.ts";

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

  formatHistory(changes) {
    const modifications = Map.groupBy(changes, (change) => change.run_id);
    return [...modifications.values()].map(formatModification).filter((entry) => entry !== null);
  },

  describeChanges: (changes) => changedFields(changes),
};

/** Changes that concern no field of this variant make no entry. */
function formatModification(changes: DatedChange[]): HistoryEntry | null {
  const names = changedFields(changes);
  return names.length > 0 ? { changed_columns: names, last_modified: changes[0]!.day } : null;
}

function changedFields(changes: readonly Change[]): string[] {
  const fields = changes.flatMap((change) =>
    change.kind === "added" ? change.fields : change.kind === "changed" ? [change.field] : []
  );
  return [...new Set(fields)].filter((field) => !HIDDEN_FIELDS.includes(field)).map(joinedName);
}

/** The words of a field's name without spaces between them: `ReleaseDate`. */
function joinedName(field: Field): string {
  return fieldLabel(field).replaceAll(" ", "");
}
