import { asObject } from "../../text/values.ts";
import { textOf } from "./cell_text.ts";
import { isPlural } from "./column_names.ts";
import { type Columns, LABELS, lookUp, lookUpFirst, type Row } from "./columns.ts";
import type { Fields } from "./fields.ts";
import { nameOfProduct, readByRule } from "./read_field.ts";
import type { TagRule } from "./tag_rules.ts";

interface Several {
  product_name?: unknown;
  product_names?: unknown;
  tags?: unknown;
}

/** The products and tags of a row: by the mapping, else as this interface names them. */
export function readProductsAndTags(
  row: Row,
  { fields, columns, isTable, fits }: {
    fields: Fields;
    columns: Columns;
    isTable: boolean;
    /** Where the rule of the product has a condition: whether the row meets it. */
    fits?: (row: Row) => boolean;
  },
): Several {
  const { column = null, rule = null, isOwn = false, columns: named = [] } =
    columns.originOf("product_name") ?? {};
  const isOurs = isOwn && !isTable;
  const several: Several = {};
  // A mapping of the product replaces all that the source says of it.
  if (isOurs || rule) several.product_names = isOurs ? row.product_names : undefined;
  if (isOurs && asObject(row.tags)) several.tags = row.tags;
  const value = fits?.(row) === false || column === null ? null : lookUpFirst(row, named);
  const separator = rule === null && column !== null && isPlural(column) ? "," : rule?.split;
  if (!isOurs && column !== null && (Array.isArray(value) || separator !== undefined)) {
    const parts = splitValues(value, separator);
    const isLabels = rule?.labels !== undefined;
    const names = parts.length === 0 || isLabels
      ? [readByRule(isLabels ? value : null, rule ?? {})]
      : parts.map((part) => rule ? readByRule(part, rule) : nameOfProduct(part, column));
    several.product_name = names[0];
    several.product_names = [...new Set(names.filter((name) => name !== null))];
  }
  if (fields.tags) {
    several.tags = Object.fromEntries(
      Object.entries(fields.tags).map(([group, rule]) => [group, readTags(row, { rule, columns })]),
    );
  }
  return several;
}

function readTags(row: Row, { rule, columns }: { rule: TagRule; columns: Columns }): string[] {
  const { from = LABELS, split, labels } = rule;
  const values = splitValues(lookUp(row, columns.find(from) ?? from), split);
  if (labels === undefined) return values;
  const prefix = labels.slice(0, -1).toLowerCase();
  return values.filter((label) => label.toLowerCase().startsWith(prefix))
    .map((label) => label.slice(prefix.length).trim()).filter((value) => value !== "");
}

/** The texts of a list, or of a text with a separator. */
function splitValues(value: unknown, separator?: string): string[] {
  const texts = (Array.isArray(value) ? value : [value]).map((part) => textOf(part) ?? "");
  const parts = separator === undefined ? texts : texts.flatMap((text) => text.split(separator));
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}
