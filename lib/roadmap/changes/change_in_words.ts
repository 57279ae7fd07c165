import { formatPlanned } from "../../text/dates.ts";
import { shorten } from "../../text/shorten.ts";
import { toLine } from "../../text/to_line.ts";
import type { Change, Field } from "../item.ts";
import type { Variant } from "../variant.ts";

/** What a change means to a person who waits for a release. */
export type ChangeKind =
  | "added"
  | "removed"
  | "restored"
  | "later"
  | "earlier"
  | "date"
  | "status"
  | "other";

/** A change as a person reads it. */
export interface ChangeInWords {
  kind: ChangeKind;
  text: string;
  /** Of a text that was rewritten: what it was, and what it became. */
  rewritten?: { before: string; after: string };
}

/** Short names of the kinds, for a badge. */
export const KIND_NAMES: Readonly<Record<ChangeKind, string>> = {
  added: "Added",
  removed: "Removed",
  restored: "Restored",
  later: "Moved later",
  earlier: "Moved earlier",
  date: "Date",
  status: "Status",
  other: "Edited",
};

const SUBJECTS: Readonly<Record<Field, string>> = {
  feature_name: "Name",
  release_date: "Release date",
  release_type: "Release type",
  release_status: "Status",
  product_id: "Product id",
  product_name: "Product",
  feature_description: "Description",
  blog_title: "Title of the blog post",
  blog_url: "Link to the blog post",
};

/** Values longer than this say less than that they changed. */
const MAX_VALUE_LENGTH = 120;

/** What a variant shows of some changes, in words; changes that it hides leave nothing. */
export function describeChanges(variant: Variant, changes: readonly Change[]): ChangeInWords[] {
  return changes.flatMap((change) => {
    switch (change.kind) {
      case "added":
        return { kind: "added", text: "Added to the roadmap" };
      case "removed":
        return variant.showsInactive ? { kind: "removed", text: "Removed from the roadmap" } : [];
      case "restored":
        return variant.showsInactive ? { kind: "restored", text: "Restored to the roadmap" } : [];
      case "changed":
        return variant.hiddenFields.includes(change.field) ? [] : describeField(variant, change);
    }
  });
}

function describeField(
  variant: Variant,
  { field, old_value, new_value }: Extract<Change, { kind: "changed" }>,
): ChangeInWords {
  if (field === "release_date") return describeDate(variant, old_value, new_value);
  const kind = field === "release_status" ? "status" : "other";
  const subject = SUBJECTS[field];
  if (new_value === null) return { kind, text: `${subject} removed` };
  if (field === "feature_description") {
    if (old_value === null) return { kind, text: `${subject} added` };
    const rewritten = { before: old_value, after: new_value };
    return { kind, text: `${subject} rewritten`, rewritten };
  }
  if (field === "product_id") return { kind, text: `${subject} changed` };
  if (old_value === null) return { kind, text: `${subject} added: ${quote(new_value)}` };
  return {
    kind,
    text: `${subject} changed from ${quote(old_value)} to ${quote(new_value)}`,
  };
}

function describeDate(variant: Variant, from: string | null, to: string | null): ChangeInWords {
  const show = (date: string) => formatPlanned(variant.formatDate(date));
  if (to === null) return { kind: "date", text: `Release date removed, was ${show(from!)}` };
  if (from === null) return { kind: "date", text: `Release date set to ${show(to)}` };
  const kind = to > from ? "later" : "earlier";
  const text = show(from) === show(to)
    ? `Release date moved ${kind} within ${show(to)}`
    : `Release date moved ${kind}, from ${show(from)} to ${show(to)}`;
  return { kind, text };
}

function quote(value: string): string {
  return `“${shorten(toLine(value), MAX_VALUE_LENGTH)}”`;
}
