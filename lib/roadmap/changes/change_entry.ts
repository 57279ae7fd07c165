import { z } from "zod";
import { DAY, ID } from "../answer_schemas.ts";
import { formatCursor } from "./change_cursor.ts";
import { type Change, FIELDS } from "../item.ts";
import type { ChangeEntry, ChangesPage } from "./read_changes.ts";
import { CHANGE_KINDS } from "./kinds.ts";
import type { Variant } from "../variant.ts";

/** What the import of an entry did to the item. */
export type EntryKind = Change["kind"];

/** An answer with changes, in the shape of a variant. */
export function formatChanges(variant: Variant, page: ChangesPage): Record<string, unknown> {
  return {
    data: page.entries.map((entry) => formatChangeEntry(variant, entry)),
    next_after: formatCursor(page.next),
    has_more: page.has_more,
  };
}

/** What one import changed of one item, in the shape of a variant. */
export function formatChangeEntry(
  variant: Variant,
  { cursor, changes, item }: ChangeEntry,
): Record<string, unknown> {
  const { day, imported_at } = changes[0]!;
  return {
    cursor: formatCursor(cursor),
    date: day,
    imported_at,
    kind: kindOf(changes),
    kinds: changes[0]!.kinds[variant.datePrecision],
    release_item_id: item.release_item_id,
    fields: changes.flatMap((change) => {
      if (change.kind !== "changed") return [];
      const { field, old_value, new_value } = change;
      const show = (value: string | null) =>
        value !== null && field === "release_date" ? variant.formatDate(value) : value;
      return [{ field, old: show(old_value), new: show(new_value) }];
    }),
    release: item.active || variant.showsInactive ? variant.formatItem(item) : null,
  };
}

function kindOf(changes: readonly Change[]): EntryKind {
  return changes.find(({ kind }) => kind !== "changed")?.kind ?? "changed";
}

/** The schema of an answer with changes. */
export function changesSchema({ itemSchema, hiddenFields, showsInactive }: Variant) {
  const field = z.strictObject({
    field: z.enum(FIELDS.filter((field) => !hiddenFields.includes(field))),
    old: z.string().nullable(),
    new: z.string().nullable(),
  }).meta({ id: "ChangedField" });
  const entry = z.strictObject({
    cursor: CURSOR.describe("Stands behind this entry"),
    date: DAY.describe("The day of the change"),
    imported_at: z.iso.datetime().nullable().describe("When this service imported it"),
    kind: z.enum(["added", "changed", "removed", "restored"]),
    kinds: z.array(z.enum(CHANGE_KINDS)).describe("What the change means, the heaviest first"),
    release_item_id: ID,
    fields: z.array(field).describe("What changed; empty if the release was added or removed"),
    release: showsInactive
      ? itemSchema
      : itemSchema.nullable().describe("The current state; null if it is not on the roadmap"),
  }).meta({ id: "ChangeEntry" });
  return z.strictObject({
    data: z.array(entry).describe("Oldest first"),
    next_after: CURSOR.describe("The next value of `after`, even if there is no more"),
    has_more: z.boolean(),
  }).meta({ id: "Changes" });
}

const CURSOR = z.string().regex(/^[\w.~-]+$/);
