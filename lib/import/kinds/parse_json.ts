import { toLine } from "../../text/phrases.ts";
import { type Document, refuse } from "./kind.ts";
import { nameFormat, refuseMarkup } from "./other_formats.ts";

/** What servers put before JSON, so that no script of another site can run it. */
const GUARD = /^\s*\)\]\}'?,?/;
/** Longer whole numbers lose their last digits. */
const MAY_BE_LARGE = /\d{16}/;
const LARGE = /^-?\d{16,}$/;

/**
 * Parses the text of a document as JSON. Whole numbers that JavaScript cannot hold are kept as they
 * are written.
 *
 * @throws {SnapshotError} that says what is wrong, and in which line
 */
export function parseJson(text: string, document: Pick<Document, "shown">): unknown {
  const json = text.replace(GUARD, "");
  if (json.trim() === "") throw refuse(document, "it is empty");
  if (json.trimStart().startsWith("<")) throw refuseMarkup(json, document);
  try {
    return MAY_BE_LARGE.test(json) ? JSON.parse(json, keepLarge) : JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refuse(document, nameFormat(json, document) ?? explainMistake(error, json));
  }
}

function keepLarge(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source } = context ?? {};
  return source !== undefined && typeof value === "number" && LARGE.test(source) ? source : value;
}

/** What the parser says of a mistake, with its line. */
function explainMistake(error: SyntaxError, text: string): string {
  const at = placeOfMistake(error, text);
  if (at >= text.trimEnd().length) return "it is incomplete JSON: the end is missing";
  const line = /\(line \d/.test(error.message)
    ? ""
    : ` (line ${text.slice(0, at).split("\n").length})`;
  return `it is not JSON: ${toLine(error.message)}${line}`;
}

/** How much of the text a message of V8 shows before a token that it did not expect. */
const SHOWN_BEFORE = 10;

/**
 * Where a text stops being JSON: as the message of the parser says, or shows it.
 *
 * ```ts
 * for (const [text, place] of [["[1, 2 3]", 6], ["[1, True, 2, 3, 4, 5]", 4], ["[1, ", 4]] as const) {
 *   try {
 *     JSON.parse(text);
 *   } catch (error) {
 *     const found = placeOfMistake(error as SyntaxError, text);
 *     if (found !== place) throw new Error(`${text} ${found}`);
 *   }
 * }
 * ```
 */
export function placeOfMistake({ message }: SyntaxError, text: string): number {
  const [, position] = /^(?!Unterminated).* at position (\d+)/s.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  const [, token, cut, shown] =
    /^Unexpected token '(.{1,2})', (\.\.\.)?"(.*)"(?:\.\.\.)? is not valid JSON$/su.exec(message) ??
      [];
  if (token === undefined || shown === undefined) return text.length;
  return cut ? text.indexOf(shown) + SHOWN_BEFORE : shown.lastIndexOf(token, SHOWN_BEFORE);
}
