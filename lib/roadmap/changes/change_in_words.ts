import { formatPlanned } from "../../text/dates.ts";
import { joinParts, shorten, toLine } from "../../text/phrases.ts";
import type { Change, DatedChange, Field } from "../item.ts";
import { statedOf } from "../stated.ts";
import type { Variant } from "../variant.ts";
import type { ChangeKind } from "./kinds.ts";
import { say } from "../../text/messages.ts";

/** A change as a person reads it. */
export interface ChangeInWords {
  kind: ChangeKind;
  /** The named date that it is about; absent: it is about none. */
  name?: string;
  text: string;
  /** The same in few words, beside others, where there are such. */
  short?: string;
  /** The address of what it is about, on another site. */
  link?: string;
  /** Of a text that was rewritten: what it was, and what it became. */
  rewritten?: { before: string; after: string };
}

/** Values longer than this say less than that they changed. */
const MAX_VALUE_LENGTH = 120;

/** Some changes of a release, each with the kinds of what happened to it. */
export type KindedChange = Change & Pick<DatedChange, "kinds">;

/** What a variant shows of some changes, in words; changes that it hides leave nothing. */
export function describeChanges(
  variant: Variant,
  changes: readonly KindedChange[],
): ChangeInWords[] {
  const { blog_title: title, blog_url: url } = Object.fromEntries(
    changes.filter((change) => change.kind === "changed").map((change) => [change.field, change]),
  );
  return changes.flatMap((change) => {
    const kinds = change.kinds[variant.datePrecision];
    switch (change.kind) {
      case "added":
        return {
          kind: "added",
          text: change.by_source ? say("change.added") : say("change.first_seen"),
        };
      case "removed":
        return variant.showsInactive ? { kind: "removed", text: say("change.removed") } : [];
      case "restored":
        return variant.showsInactive ? { kind: "restored", text: say("change.restored") } : [];
      case "changed":
        if (variant.hiddenFields.includes(change.field)) return [];
        if (change === title && url) return [];
        if (change === title || change === url) return describePost(title, url);
        return splitLists(change).map((part) =>
          describeField(variant, { ...change, ...part }, kinds)
        );
    }
  });
}

type FieldChange = Extract<Change, { kind: "changed" }>;

/** What became of a blog post: its title and its address are one thing to a person. */
function describePost(title?: FieldChange, url?: FieldChange): ChangeInWords {
  const { old_value, new_value } = (url ?? title)!;
  if (new_value === null) return { kind: "edited", text: say("change.post_removed") };
  const what = old_value === null ? "added" : "changed";
  const text = title?.new_value
    ? say("change.post_named", {
      what,
      title: shorten(toLine(title.new_value), MAX_VALUE_LENGTH),
    })
    : say("change.post", { what });
  // A list of changes has the beginning of a long address only.
  const link = url && /^https?:\/\/[^…]*$/i.test(new_value) ? { link: new_value } : {};
  return { kind: "edited", text, ...link };
}

/** The kinds that a status, or a date, brings about. */
export const FIELD_KINDS: Readonly<Partial<Record<Field, readonly ChangeKind[]>>> = {
  release_status: ["shipped", "cancelled", "taken_back", "started"],
  release_date: ["slipped", "earlier", "dated", "undated"],
};

function describeField(
  variant: Variant,
  given: ListChange & FieldChange,
  kinds: readonly ChangeKind[],
): ChangeInWords {
  const { field, group } = given;
  const [old_value = null] = statedOf(given.old_value);
  const [new_value = null] = statedOf(given.new_value);
  const change = { ...given, old_value, new_value };
  const kind = kindOfField(change, kinds);
  const text = fieldInWords(variant, change);
  if (field === "dates") return { kind, name: group!, text };
  const short = shortly(change, kind);
  if (short !== undefined) return { kind, text, short };
  if (field !== "feature_description" || old_value === null || new_value === null) {
    return { kind, text };
  }
  return { kind, text, rewritten: { before: old_value, after: new_value } };
}

/** What an entry of some kinds says of one of its fields; a named date may go against the others. */
export function kindOfField(
  { field, old_value, new_value }: Pick<FieldChange, "field" | "old_value" | "new_value">,
  kinds: readonly ChangeKind[],
): ChangeKind {
  const named = old_value === null ? "dated" : new_value! > old_value ? "slipped" : "earlier";
  const possible: readonly ChangeKind[] | undefined = field !== "dates"
    ? FIELD_KINDS[field]
    : new_value === null
    ? []
    : [named];
  return possible?.find((kind) => kinds.includes(kind)) ?? "edited";
}

/** What a release has now, or where it came from. */
function shortly(
  { field, old_value, new_value }: FieldChange,
  kind: ChangeKind,
): string | undefined {
  if (old_value === null || new_value === null) return undefined;
  const show = (value: string) => shorten(toLine(value), MAX_VALUE_LENGTH);
  switch (field) {
    case "release_status":
      return kind === "taken_back"
        ? say("change.short_back", { from: show(old_value), to: show(new_value) })
        : say("change.short_now", { value: show(new_value) });
    case "release_type":
      return say("change.short_now", { value: show(new_value) });
    case "product_name":
      return say("change.short_product", { product: show(new_value) });
    case "feature_name":
      return say("change.short_name", { name: show(old_value) });
  }
}

function fieldInWords(
  variant: Variant,
  { field, group, old_value, new_value }: ListChange & FieldChange,
): string {
  if (field === "release_date") return dateInWords(variant, [old_value, new_value]);
  if (field === "dates") return dateInWords(variant, [old_value, new_value], toLine(group!));
  const subject = group ? toLine(group) : nameField(field);
  if (new_value === null) return say("change.field_removed", { subject });
  if (field === "feature_description") {
    return old_value === null ? say("change.description_added") : say("change.new_description");
  }
  if (field === "product_id") return say("change.product_id");
  const to = shorten(toLine(new_value), MAX_VALUE_LENGTH);
  if (old_value === null) return say("change.field_added", { subject, to });
  const from = shorten(toLine(old_value), MAX_VALUE_LENGTH);
  return say("change.field_changed", { subject, from, to });
}

/** What a field is called; the address of a post as its title is. */
function nameField(field: Exclude<Field, "dates" | "release_date">): string {
  switch (field) {
    case "blog_url":
      return say("field.blog_title");
    case "product_names":
      return say("preference.products");
    case "tags":
      return say("preference.tags");
    default:
      return say(`field.${field}`);
  }
}

/** What became of the release date, or of a named one. */
function dateInWords(
  { formatDate }: Variant,
  [from, to]: readonly [string | null, string | null],
  name = "",
): string {
  const show = (date: string | null) => date === null ? "" : formatPlanned(formatDate(date));
  const direction = from !== null && to !== null && to > from ? "later" : "earlier";
  const values = { name, direction, from: show(from), to: show(to) };
  const what = name === "" ? "date" : "named";
  if (to === null) return say(`change.${what}_removed`, values);
  if (from === null) return say(`change.${what}_set`, values);
  return say(values.from === values.to ? `change.${what}_within` : `change.${what}_moved`, values);
}

/** What changed of a list, of one group of tags or of one named date, as texts. */
interface ListChange {
  /** Null: it is neither a tag nor a named date. */
  group: string | null;
  old_value: string | null;
  new_value: string | null;
}

/**
 * The changes of products, tags or named dates, which hold JSON, by groups or names; of any other
 * field, the change as it is.
 */
export function splitLists(
  { field, old_value, new_value }: FieldChange,
): ListChange[] {
  if (field === "product_names") {
    return [{ group: null, old_value: joinNames(old_value), new_value: joinNames(new_value) }];
  }
  if (field !== "tags" && field !== "dates") return [{ group: null, old_value, new_value }];
  const [before, after] = [groupsIn(old_value), groupsIn(new_value)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .map((group) => ({
      group,
      old_value: valueOf(before[group]),
      new_value: valueOf(after[group]),
    }))
    .filter((change) => change.old_value !== change.new_value);
}

/** The values of a field before and after, as a variant shows them; named dates one by one. */
export function shownValues(
  { formatDate }: Variant,
  { field, old_value, new_value }: FieldChange,
): { field: Field; name?: string; old: string | null; new: string | null }[] {
  const isDate = field === "release_date" || field === "dates";
  const show = (value: string | null) => value !== null && isDate ? formatDate(value) : value;
  if (field !== "dates") return [{ field, old: show(old_value), new: show(new_value) }];
  return splitLists({ kind: "changed", field, old_value, new_value }).map((part) => ({
    field,
    name: part.group!,
    old: show(part.old_value),
    new: show(part.new_value),
  }));
}

function joinNames(names: string | null): string | null {
  return names && joinParts(JSON.parse(names) as string[]);
}

/** Tags as one text; a day as it is, without the signs around the parts of a text from the right. */
function valueOf(values: string | string[] | undefined): string | null {
  return Array.isArray(values) ? joinParts(values) : values ?? null;
}

/** Tags by their groups, or days by their names. */
function groupsIn(values: string | null): Record<string, string | string[]> {
  return values === null ? {} : JSON.parse(values);
}
