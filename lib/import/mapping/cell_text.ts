import { asObject } from "../../text/values.ts";
import { documentToMarkdown, isAtlassianDocument } from "./jira_markup.ts";

/** Keys of an object's readable name in various tools, the most reliable first. */
const NAME_KEYS = ["name", "title", "displayName", "value", "label"];

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

/**
 * A short text without blanks and signs of no width at its ends, and with single blanks inside. What
 * joins the signs of an emoji stays.
 *
 * ```ts
 * if (tidyText("\u00a0In  progress\u200b ") !== "In progress") throw new Error();
 * ```
 */
export function tidyText(text: string): string {
  return text.replace(/[\u200b\u2060\ufeff]/g, "").replace(/[\s\p{Z}]+/gu, " ")
    .replace(/^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu, "");
}

/** A text of a cell to be compared: neither case nor surrounding space matters. */
export function foldCell(text: string): string {
  return tidyText(text).toLowerCase();
}

/** Words for true and false in spreadsheets; Excel uses its own language. */
const TRUE =
  "true t yes y 1 x on checked ✓ ✔ ✔️ ✅ ☑ ☑️ wahr ja vrai oui verdadero vero sì sí si waar verdadeiro sim prawda tak sant";
const FALSE =
  "false f no n 0 off unchecked ✗ ✘ ❌ ☐ falsch nein faux non falso onwaar nee não fałsz nie falskt nej";
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...TRUE.split(" ").map((word) => [word, true] as const),
  ...FALSE.split(" ").map((word) => [word, false] as const),
]);

/** True or false for a known word, null for nothing; any other word is refused later. */
export function flagOf(value: unknown): unknown {
  if (typeof value === "boolean") return value;
  const text = textOf(value);
  return text === null ? null : FLAGS.get(foldCell(text)) ?? value;
}
