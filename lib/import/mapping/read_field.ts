import {
  documentToMarkdown,
  parseAtlassianDocument,
  wikiToMarkdown,
} from "../../text/jira_markup.ts";
import { htmlToMarkdown } from "../../text/markdown.ts";
import { dropComments } from "../../text/markup.ts";
import { shorten } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import { flagOf, foldCell, isFailed, textOf, textsOf } from "./cell_text.ts";
import { rolesOf } from "./column_names.ts";
import { type Columns, LABELS } from "./columns.ts";
import {
  DATE_FIELDS,
  FIELD_NAMES,
  type FieldName,
  type FieldRule,
  type Mapping,
  type Origin,
  type TagRule,
} from "./fields.ts";
import type { Findings } from "./findings.ts";
import { means } from "./lexicon.ts";
import { lookUp, lookUpFirst, type Row } from "./look_up.ts";
import { MAX_DESCRIPTION } from "./snapshot_item.ts";
import { tidyText } from "./tidy_text.ts";

/** The type of items from a source without types. */
export const NO_TYPE = "Not stated";
/** The status of items whose own is empty, if nobody said what that means. */
export const NO_STATUS = "Not stated";

/** Short texts, which have no blanks at their ends and single ones inside. */
const SHORT: readonly FieldName[] = [
  ...["feature_name", "release_type", "release_status", "product_name", "blog_title"] as const,
];

/** The value of a field in a row; the item's own validation reports errors. */
export function readField(
  field: FieldName,
  row: Row,
  { origin: { column, columns, rule, isOwn }, isTable, isJira, isReadBack, fits }: {
    origin: Origin;
    /** Where a rule has a condition: whether the row meets it. */
    fits?: (row: Row) => boolean;
    isTable: boolean;
    isJira: boolean;
    /** The table is one that this server wrote. */
    isReadBack: boolean;
  },
): unknown {
  const cell = fits?.(row) === false ? undefined : lookUpFirst(row, columns);
  const value = isTable && field !== "feature_name" ? withoutNull(cell) : cell;
  // JSON has types of its own; a source with our field names must also use our formats.
  if (isOwn && !isTable) return value;
  const given = rule ? readByRule(value, rule) : textOf(value);
  const isTidied = SHORT.includes(field) && !(isOwn && isReadBack);
  const text = given !== null && isTidied ? tidyText(given) || null : given;
  switch (field) {
    case "feature_name":
      return text;
    case "active":
      return flagOf(text);
    case "release_type":
      return text ?? (rule ? null : NO_TYPE);
    case "product_name":
      return text && column ? nameOfProduct(text, column) : text;
    case "feature_description":
      // A document in JSON is Markdown already.
      return text === null || asObject(value) ? text : toMarkdown(
        text,
        rule?.format ?? (isJira ? "jira" : !isOwn && isHtml(text) ? "html" : "markdown"),
      );
    default:
      return text;
  }
}

/** Some exporters write the word into an empty cell. */
function withoutNull(cell: unknown): unknown {
  return typeof cell === "string" && /^\s*null\s*$/i.test(cell) ? null : cell;
}

/** What a rule makes of a value; null if that is nothing. */
function readByRule(value: unknown, rule: FieldRule): string | null {
  const { labels, values, none } = rule;
  if (rule.value !== undefined) return rule.value;
  if (labels) {
    const given = new Set(textsOf(value).map(foldCell));
    const label = Object.keys(labels).find((label) => given.has(foldCell(label)));
    return label === undefined ? rule.default ?? null : labels[label]!;
  }
  const text = textOf(value);
  if (text === null) return rule.default ?? null;
  if (none?.some((word) => foldCell(word) === foldCell(text))) return null;
  if (values) {
    const word = Object.keys(values).find((word) => foldCell(word) === foldCell(text));
    return word === undefined ? rule.default ?? text : values[word]!;
  }
  return text;
}

function toMarkdown(text: string, format: string): string {
  if (format === "html") return htmlToMarkdown(text);
  const document = format === "markdown" ? null : parseAtlassianDocument(text);
  if (document) return documentToMarkdown(document);
  return format === "jira" ? wikiToMarkdown(text) : text;
}

/** An address or a path ends with the name: `owner/name` of a repository, an area of Azure DevOps. */
function nameOfProduct(text: string, column: string): string {
  if (rolesOf(column).has("repository")) return text.split("/").at(-1)!;
  return text.replace(/^.*\S\\(?=\S)/s, "").replace(
    / ?\(([^()]*)\)/g,
    (whole, inner) => isReference(inner) ? "" : whole,
  );
}

/** What a tool writes behind the name of what it relates to: its address, its file, its number. */
function isReference(text: string): boolean {
  if (text.startsWith("https://www.notion.so/") || /^#\w+$/.test(text)) return true;
  return !/\s/.test(text) &&
    (/.\.(?:md|csv)$/.test(text) || /.%20/.test(text) && text.endsWith(".html"));
}

/** Some tools write descriptions in HTML: such a text begins and ends with a tag. */
function isHtml(text: string): boolean {
  return /^\s*<(?:div|p|ul|ol|h[1-6]|span|table|b|strong|em|br)\b/i.test(text) && /> *$/.test(text);
}

type Several = Partial<Record<"product_name" | "product_names" | "tags" | "dates", unknown>>;

/** The column that stands in for the release date of a row, whose own is empty. */
function standInOf(row: Row, columns: Columns): string | undefined {
  const [first, ...others] = columns.originOf("release_date")?.columns ?? [];
  const isFilled = (column: string) => textOf(lookUp(row, column)) !== null;
  return first === undefined || isFilled(first) ? undefined : others.find(isFilled);
}

/** The products, tags and named dates of a row: by the mapping, else as this interface names them. */
export function readSeveral(
  row: Row,
  { fields, columns, isTable, fits }: {
    fields: Mapping;
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
  if (isOwn && asObject(row.tags)) several.tags = row.tags;
  if (isOurs || isOwn && asObject(row.dates)) several.dates = row.dates;
  const cell = fits?.(row) === false || column === null ? null : lookUpFirst(row, named);
  const value = isTable ? withoutNull(cell) : cell;
  const isSplit = rule === null && column !== null && means(column, "several");
  const separator = isSplit ? "," : rule?.split;
  if (!isOurs && column !== null && (Array.isArray(value) || separator !== undefined)) {
    const parts = splitValues(value, separator);
    const isLabels = rule?.labels !== undefined;
    const names = parts.length === 0 || isLabels
      ? [readByRule(isLabels ? value : null, rule ?? {})]
      : parts.map((part) => rule ? readByRule(part, rule) : nameOfProduct(part, column));
    several.product_name = names[0];
    several.product_names = [...new Set(names.filter((name) => name !== null))];
  }
  if (columns.datesInObjects.size > 0) {
    several.dates = Object.fromEntries(
      Object.entries(asObject(row.dates) ?? {}).filter(([name]) =>
        columns.datesInObjects.has(name)
      ),
    );
  }
  if (columns.dates.size > 0) {
    const standIn = standInOf(row, columns);
    const days = [...columns.dates].map(([name, { column, columns, rule }]) => {
      const cell = column === standIn ? null : lookUpFirst(row, columns);
      const value = isTable ? withoutNull(cell) : cell;
      return [name, rule ? readByRule(value, rule) : textOf(value)] as const;
    });
    several.dates = { ...several.dates ?? {}, ...Object.fromEntries(days) };
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
  return parts.map(tidyText).filter((part) => part !== "");
}

/** A description that is too long is cut; nobody reads so much, and every page would carry it. */
export function cutDescription(given: unknown, findings: Findings): unknown {
  if (typeof given !== "string") return given;
  const description = dropComments(given);
  if (shorten(description, MAX_DESCRIPTION) === description) return description;
  const limit = `${MAX_DESCRIPTION.toLocaleString("en")} characters`;
  findings.note(
    "cut",
    (count) =>
      count === 1
        ? `One description is longer than ${limit}: it is cut`
        : `${count} descriptions are longer than ${limit}: they are cut`,
  );
  return shorten(description, MAX_DESCRIPTION - 1);
}

/** Fields whose cell has an error in place of a value; days are read apart. */
export function failedIn(item: Record<string, unknown>): [FieldName, string][] {
  const days: readonly FieldName[] = DATE_FIELDS;
  return FIELD_NAMES.flatMap((field): [FieldName, string][] => {
    const text = item[field];
    return typeof text === "string" && !days.includes(field) && isFailed(text)
      ? [[field, text]]
      : [];
  });
}
