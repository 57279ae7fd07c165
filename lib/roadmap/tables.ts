import { formatCsvLine } from "../text/csv.ts";
import { toLine } from "../text/phrases.ts";
import type { ChangeEntry } from "./changes/api_changes.ts";
import { shownValues } from "./changes/change_in_words.ts";
import type { Field, Item } from "./item.ts";
import { fieldLabel, type Variant } from "./variant.ts";

/** Spreadsheets take a file for UTF-8 if it begins so. */
const BYTE_ORDER_MARK = "\ufeff";
const RELEASE_COLUMNS = [
  "release_item_id",
  "feature_name",
  "product_name",
  "all_products",
  "release_type",
  "release_status",
  "release_date",
  "feature_description",
  "blog_title",
  "blog_url",
  "last_modified",
  "product_id",
] as const;
/** The columns of tags begin so. */
export const TAG_COLUMN = "Tag: ";
/** The columns of named dates begin so. */
export const DATE_COLUMN = "Date: ";

/** The columns of a table besides those of every release: groups of tags, and names of dates. */
export interface MoreColumns {
  groups: readonly string[];
  dates: readonly string[];
}

/** What a variant may leave out of its table. */
const OPTIONAL: readonly string[] = ["blog_title", "blog_url"] satisfies Field[];

/** Whether the names of columns are those of a table of releases. */
export function isReleaseTable(names: readonly string[]): boolean {
  return RELEASE_COLUMNS.every((name) => names.includes(name) || OPTIONAL.includes(name));
}

const CHANGE_COLUMNS = [
  "date",
  "release_item_id",
  "feature_name",
  "product_name",
  "kinds",
  "field",
  "old",
  "new",
] as const;

/** The columns of a table of releases, of the tags of these groups, and of dates of these names. */
export function headReleases(variant: Variant, { groups, dates }: MoreColumns): string {
  return BYTE_ORDER_MARK + formatCsvLine([
    ...columnsOf(variant),
    ...variant.showsInactive ? ["active"] : [],
    ...groups.map((group) => TAG_COLUMN + toLine(group)),
    ...dates.map((name) => DATE_COLUMN + toLine(name)),
  ]);
}

function columnsOf({ hiddenFields }: Variant) {
  return RELEASE_COLUMNS.filter((name) => !(hiddenFields as readonly string[]).includes(name));
}

/** A release as a row; several products or tags stand in one cell, divided by semicolons. */
export function formatReleaseRow(
  variant: Variant,
  item: Item,
  { groups, dates }: MoreColumns,
): string {
  const cells: Record<(typeof RELEASE_COLUMNS)[number], string | null> = {
    ...item,
    all_products: joinValues(item.product_names),
    release_date: item.release_date && variant.formatDate(item.release_date),
  };
  return formatCsvLine([
    ...columnsOf(variant).map((name) => cells[name]),
    ...variant.showsInactive ? [String(item.active)] : [],
    ...groups.map((group) => joinValues(item.tags[group] ?? [])),
    ...dates.map((name) => item.dates[name] ? variant.formatDate(item.dates[name]) : null),
  ]);
}

/** The columns of a table of changes. */
export function headChanges(): string {
  return BYTE_ORDER_MARK + formatCsvLine(CHANGE_COLUMNS);
}

/** What an import did to a release, as a row for each field, or one for what has no field. */
export function formatChangeRows(variant: Variant, { changes, item }: ChangeEntry): string {
  const [{ day, kinds }] = changes as [ChangeEntry["changes"][number]];
  const { release_item_id, feature_name, product_name } = item;
  const about = [day, release_item_id, feature_name, product_name];
  const meaning = kinds[variant.datePrecision].join("; ");
  const rows = changes.flatMap((change) => {
    if (change.kind !== "changed") return [];
    return shownValues(variant, change).map(({ field, name = null, ...value }) => [
      ...[...about, meaning, fieldLabel(field, name), value.old, value.new],
    ]);
  });
  return (rows.length > 0 ? rows : [[...about, meaning, null, null, null]])
    .map(formatCsvLine).join("");
}

function joinValues(values: readonly string[]): string {
  return values.map(toLine).join("; ");
}
