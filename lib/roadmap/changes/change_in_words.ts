import { formatPlanned } from "../../text/dates.ts";
import { shorten, toLine } from "../../text/phrases.ts";
import type { Change, DatedChange, Field } from "../item.ts";
import type { ChangeKind } from "./kinds.ts";
import { type ListChange, splitLists } from "./split_lists.ts";
import type { Variant } from "../variant.ts";

/** A change as a person reads it. */
export interface ChangeInWords {
  kind: ChangeKind;
  text: string;
  /** Of a text that was rewritten: what it was, and what it became. */
  rewritten?: { before: string; after: string };
}

const SUBJECTS: Readonly<Record<Field, string>> = {
  feature_name: "Name",
  release_date: "Release date",
  release_type: "Release type",
  release_status: "Status",
  product_id: "Product id",
  product_name: "Product",
  product_names: "Products",
  feature_description: "Description",
  blog_title: "Title of the blog post",
  blog_url: "Link to the blog post",
  tags: "Tags",
};

/** Values longer than this say less than that they changed. */
const MAX_VALUE_LENGTH = 120;

/** Some changes of a release, each with the kinds of what happened to it. */
export type KindedChange = Change & Pick<DatedChange, "kinds">;

/** What a variant shows of some changes, in words; changes that it hides leave nothing. */
export function describeChanges(
  variant: Variant,
  changes: readonly KindedChange[],
): ChangeInWords[] {
  return changes.flatMap((change) => {
    const kinds = change.kinds[variant.datePrecision];
    switch (change.kind) {
      case "added":
        return { kind: "added", text: change.by_source ? "Added to the roadmap" : "First seen" };
      case "removed":
        return variant.showsInactive ? { kind: "removed", text: "Removed from the roadmap" } : [];
      case "restored":
        return variant.showsInactive ? { kind: "restored", text: "Restored to the roadmap" } : [];
      case "changed":
        return variant.hiddenFields.includes(change.field)
          ? []
          : splitLists(change).map((part) => describeField(variant, { ...change, ...part }, kinds));
    }
  });
}

/** The kinds that a status, or a date, brings about. */
export const FIELD_KINDS: Readonly<Partial<Record<Field, readonly ChangeKind[]>>> = {
  release_status: ["shipped", "cancelled", "taken_back", "started"],
  release_date: ["slipped", "earlier", "dated", "undated"],
};

function describeField(
  variant: Variant,
  change: ListChange & Extract<Change, { kind: "changed" }>,
  kinds: readonly ChangeKind[],
): ChangeInWords {
  const { field, old_value, new_value } = change;
  const kind = FIELD_KINDS[field]?.find((kind) => kinds.includes(kind)) ?? "edited";
  const text = fieldInWords(variant, change);
  if (field !== "feature_description" || old_value === null || new_value === null) {
    return { kind, text };
  }
  return { kind, text, rewritten: { before: old_value, after: new_value } };
}

function fieldInWords(
  variant: Variant,
  { field, group, old_value, new_value }: ListChange & Extract<Change, { kind: "changed" }>,
): string {
  if (field === "release_date") return dateInWords(variant, old_value, new_value);
  const subject = group ? toLine(group) : SUBJECTS[field];
  if (new_value === null) return `${subject} removed`;
  if (field === "feature_description") {
    return old_value === null ? `${subject} added` : `${subject} rewritten`;
  }
  if (field === "product_id") return `${subject} changed`;
  if (old_value === null) return `${subject} added: ${quote(new_value)}`;
  return `${subject} changed from ${quote(old_value)} to ${quote(new_value)}`;
}

function dateInWords(variant: Variant, from: string | null, to: string | null): string {
  const show = (date: string) => formatPlanned(variant.formatDate(date));
  if (to === null) return `Release date removed, was ${show(from!)}`;
  if (from === null) return `Release date set to ${show(to)}`;
  const direction = to > from ? "later" : "earlier";
  return show(from) === show(to)
    ? `Release date moved ${direction} within ${show(to)}`
    : `Release date moved ${direction}, from ${show(from)} to ${show(to)}`;
}

function quote(value: string): string {
  return `“${shorten(toLine(value), MAX_VALUE_LENGTH)}”`;
}
