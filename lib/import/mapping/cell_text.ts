import { documentToMarkdown, isAtlassianDocument } from "../../text/jira_markup.ts";
import { asObject } from "../../text/values.ts";
import { meaningsOf } from "./lexicon.ts";
import { tidyText } from "./tidy_text.ts";

/** Keys of an object's readable name in various tools, the most reliable first. */
const NAME_KEYS = ["name", "title", "displayName", "value", "label", "text"];

/** A value of a source as text; null if it is empty. */
export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isRichText(value)) return textOf(value.map((run) => run.plain_text).join(""));
  if (Array.isArray(value)) return textsOf(value).join(", ") || null;
  const fields = asObject(value);
  if (!fields) return null;
  if (isAtlassianDocument(fields)) return documentToMarkdown(fields) || null;
  const key = NAME_KEYS.find((key) => typeof fields[key] === "string");
  return key === undefined ? null : textOf(fields[key]);
}

/** Notion keeps a text as runs of one format each ("Rich text"). */
function isRichText(value: unknown): value is readonly { plain_text: string }[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((run) => typeof asObject(run)?.plain_text === "string");
}

/** The texts of a list; a text by itself is split at commas and semicolons. */
export function textsOf(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : String(textOf(value) ?? "").split(/[,;]/);
  return parts.map((part) => Array.isArray(part) ? null : textOf(part)?.trim())
    .filter((text) => text != null && text !== "") as string[];
}

/** A text of a cell to be compared: neither case nor surrounding space matters. */
export function foldCell(text: string): string {
  return tidyText(text).toLowerCase();
}

/** What a formula that fails leaves in its cell, in any language: `#REF!`, `#WERT!`, `#N/A`, `#NV`. */
const FAILED = /^#(?:[¡¿]?\p{Lu}[\p{Lu}\d/ ]{0,20}[!?]|\p{Lu}{1,2}\/?\p{Lu}{1,2})$/u;

/**
 * Whether a cell has an error of a spreadsheet in place of a value (ECMA-376, 18.18.11).
 *
 * ```ts
 * if (!isFailed("#REF!") || !isFailed("#¡VALOR!") || isFailed("#1 wish")) throw new Error();
 * ```
 */
export function isFailed(text: string): boolean {
  return text.startsWith("#") && FAILED.test(text.trim());
}

/** What was answered: most columns of yes and no have few different texts. */
const FLAGS = new Map<string, boolean | null>();
const MAX_FLAGS = 2_000;

/** True or false for a known word, null for nothing; any other word is refused later. */
export function flagOf(value: unknown): unknown {
  if (typeof value === "boolean") return value;
  const text = textOf(value);
  return text === null ? null : readFlag(text) ?? value;
}

/** Excel writes true and false in its own language; null: it is neither. */
function readFlag(text: string): boolean | null {
  const known = FLAGS.get(text);
  if (known !== undefined) return known;
  const meanings = text.length > 40 ? null : meaningsOf(text);
  const flag = meanings?.has("yes") ? true : meanings?.has("no") ? false : null;
  if (FLAGS.size < MAX_FLAGS) FLAGS.set(text, flag);
  return flag;
}
