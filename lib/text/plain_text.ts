import { decodeEntities } from "./decode_entities.ts";
import { bestPassage, type Marks } from "./mark_words.ts";
import { separateGlued } from "./separate_glued.ts";

/** Of a longer description only this many characters around the search words are examined. */
const MAX_LENGTH = 20_000;

/** A link or an image of Markdown, whose address may have one pair of parentheses in it. */
const LINK = /!?\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g;

/**
 * What a description says without its marks: no tags, no Markdown, one line. It takes time in
 * proportion to the length, whatever the text holds.
 *
 * ```ts
 * const text = toPlainText("**Overview**Enable &quot;it&quot;:<br/>* *soon*, see [here](https://a.example)");
 * if (text !== 'Overview Enable "it": · soon, see here') throw new Error(text);
 * ```
 */
export function toPlainText(description: string): string {
  return separateGlued(decodeEntities(description))
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(LINK, "$1").replace(LINK, "$1") // an image may be the text of a link
    .replace(/\s+/g, (space) => space.includes("\n") ? "\n" : " ")
    .replace(/^ ?(#{1,6}|>)\s/gm, " ")
    .replace(/\*{3}(?=\s)|(?<=[\s.:;!?)])\*(?=\s)|^ ?([-*+]|\d+\.)(?=\s)/gm, " · ")
    .replace(/\*{2,}|`+|(?<!\w)__|__(?!\w)/g, " ")
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?!\w)/g, "$1")
    .replace(/\|[\s|:-]*/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;:!?)])/g, "")
    .replace(/^[ ·]+|(?<![ ·])[ ·]+$/g, "");
}

/**
 * What a description says, in about this many characters around the passage with most of the marks.
 *
 * ```ts
 * const marks = { words: ["two"], beginnings: [] };
 * const text = excerptOf(`**One** ${"word ".repeat(9_000)} two`, { marks, length: 12 });
 * if (text !== "… word two") throw new Error(text);
 * ```
 */
export function excerptOf(
  description: string,
  { marks, length }: { marks?: Marks; length: number },
): string {
  if (description.length <= MAX_LENGTH) return excerpt(toPlainText(description), { marks, length });
  const found = marks ? bestPassage(description, marks, length) : -1;
  const start = Math.min(Math.max(0, found - MAX_LENGTH / 2), description.length - MAX_LENGTH);
  const end = start + MAX_LENGTH;
  const text = excerpt(toPlainText(description.slice(start, end)), { marks, length });
  const before = start > 0 && !text.startsWith("… ") ? "… " : "";
  const after = end < description.length && !text.endsWith(" …") ? " …" : "";
  return before + text + after;
}

/**
 * A piece of a text of about this many characters, around the passage with most of the marks.
 *
 * ```ts
 * const marks = { words: ["five"], beginnings: [] };
 * const text = excerpt("one two three four five six", { marks, length: 12 });
 * if (text !== "… five six") throw new Error(text);
 * ```
 */
export function excerpt(text: string, { marks, length }: { marks?: Marks; length: number }) {
  // Four more characters, so that a piece which was cut before stays as it is.
  if (text.length <= length + 4) return text;
  const found = marks ? bestPassage(text, marks, length / 2) : -1;
  const wanted = found < length / 2 ? 0 : Math.min(found - length / 4, text.length - length);
  const start = wanted === 0 ? 0 : text.indexOf(" ", wanted) + 1;
  const end = start + length >= text.length ? text.length : text.lastIndexOf(" ", start + length);
  const piece = text.slice(start, end > start ? end : start + length)
    .replace(/[\ud800-\udbff]$/, "").trim(); // half a character
  return `${start > 0 ? "… " : ""}${piece}${end < text.length ? " …" : ""}`;
}
