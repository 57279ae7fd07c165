import { toLine } from "../../text/phrases.ts";
import { asObject } from "../../text/values.ts";
import { type Document, refuse, type SignOfMore } from "./kind.ts";
import { nameFormat, refuseMarkup } from "./other_formats.ts";
import { findSignOfMore } from "./sign_of_more.ts";
import { OR } from "../fetching/decode_text.ts";
import type { Fields } from "./find_list.ts";

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

/** The list in a document, and what is said beside it. */
interface JsonList {
  items: unknown[];
  /** Empty of a document that is the list itself. */
  about: Readonly<Record<string, unknown>>;
}

/**
 * The items of a document: an array of them, or an object with a list of them under one of some
 * keys (interface specification, 2.2 to 2.4).
 *
 * @throws {SnapshotError} if it has no list, or more than one
 */
export function listIn(
  value: unknown,
  lists: readonly string[],
  document: Pick<Document, "shown">,
): JsonList {
  if (Array.isArray(value)) return { items: value, about: {} };
  const fields = asObject(value) ?? {};
  const [list, other] = Object.keys(fields).filter((key) =>
    lists.includes(key) && Array.isArray(fields[key])
  );
  if (list === undefined) throw refuseShape(fields, lists, document);
  // With several lists it is unclear which one is the roadmap.
  if (
    other !== undefined && (fields[list] as unknown[]).length > 0 &&
    (fields[other] as unknown[]).length > 0
  ) {
    throw refuse(
      document,
      `both its "${list}" and its "${other}" are lists: keep only the one with the releases`,
    );
  }
  const found = other !== undefined && (fields[list] as unknown[]).length === 0 ? other : list;
  const { [found]: items, ...about } = fields;
  return { items: items as unknown[], about };
}

function refuseShape(
  fields: Readonly<Record<string, unknown>>,
  lists: readonly string[],
  document: Pick<Document, "shown">,
) {
  const names = OR.format(lists.map((list) => `"${list}"`));
  const sign: SignOfMore | null = findSignOfMore(fields);
  const more = sign && `; with ${sign.shown} it may be one page of more as well: see ` +
      '"One page of more" in docs/sources.md';
  const deep = listsBelow(fields, "").toSorted((one, other) => other.count - one.count)[0];
  const place = deep
    ? `; name the place of its list, {"items": ${JSON.stringify(deep.pointer)}}` +
      (more ? "" : ', and how its pages are followed, if it has several ("pages")')
    : "";
  return refuse(
    document,
    `it is neither an array of items nor an object whose ${names} is one${place}${more ?? ""}`,
  );
}

/** The lists of objects in a document, with the pointers to them. */
function listsBelow(fields: Fields, place: string): { pointer: string; count: number }[] {
  if (place.split("/").length > 4) return [];
  return Object.entries(fields).flatMap(([key, value]) => {
    const pointer = `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (Array.isArray(value)) {
      return asObject(value[0]) === null ? [] : [{ pointer, count: value.length }];
    }
    const inner = asObject(value);
    return inner ? listsBelow(inner, pointer) : [];
  });
}
