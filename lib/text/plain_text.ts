import { decodeHTMLStrict } from "entities";
import { bestPassage, type Marks } from "./match_words.ts";
import { rewriteMarkup, shield, unshield } from "./markup.ts";
import { toLine } from "./phrases.ts";

/** Characters of bidirectional text (Unicode Annex 9) that show what follows in another order. */
const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text without the characters that make the rest of it run backwards. */
export function dropOverrides(text: string): string {
  return text.replace(OVERRIDES, "");
}

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
 * if (toPlainText("Of `<b>` and List<T>") !== "Of <b> and List<T>") throw new Error();
 * ```
 */
export function toPlainText(description: string): string {
  return tidyLine(unmarkedLines(description).join(" "));
}

function tidyLine(line: string): string {
  return line.replace(/\s+/g, " ").replace(/ (?=[,.;:!?)])/g, "")
    .replace(/^[ ·]+|(?<![ ·])[ ·]+$/g, "");
}

/**
 * The lines and paragraphs of a description, each without its marks.
 *
 * ```ts
 * const lines = plainLinesOf("# Why\n\n<p>**Fast**</p>Small");
 * if (lines.join("|") !== "Why|Fast|Small") throw new Error(lines.join("|"));
 * ```
 */
export function plainLinesOf(description: string): string[] {
  return unmarkedLines(description).map(tidyLine).filter((line) => line !== "");
}

function unmarkedLines(description: string): string[] {
  const text = dropOverrides(decodeMarkup(description));
  const separated = separateGlued(shieldText(text));
  const isTable = /^ *\||\| *:?-{3,}/m.test(separated);
  return separated
    .replace(/<(sup|sub)>([^<>]{1,40})<\/\1>/gi, (_, tag, text) => placeText(tag, text))
    .replace(/<\/?[a-z](?:(?:[^<>"']|"[^"<]*"|'[^'<]*')*|[^<>]*)>/gi, plainTag)
    .replace(LINK, "$1").replace(LINK, "$1") // an image may be the text of a link
    .replace(/\s+/g, (space) => space.includes("\n") ? "\n" : " ")
    .replace(/^ ?(#{1,6}|>)\s/gm, " ")
    .replace(
      /^( ?(?:[-*+]|\d+\.) )\[([ x])\](?=\s)/gim,
      (_, item, mark) => item + checkbox(mark !== " "),
    )
    .replace(/\*{3}(?=\s)|(?<=[\s.:;!?)])(?<!\d )\*(?=\s)|^ ?([-*+]|\d+\.)(?=\s)/gm, " · ")
    .replace(AT_UNSPACED, "")
    .replace(/\*{2,}|`+|~~|(?<!\w)__|__(?!\w)/g, " ")
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?!\w)/g, "$1")
    .replace(/(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\p{L}\p{N}_])/gu, "$1")
    .replace(/\|[\s|:-]*/g, (bar) => !isTable ? bar : bar.includes("\n") ? "\n" : " ")
    .split("\n").map(unshield);
}

/** A text without comments, with everything out of reach that is shown as it stands. */
function shieldText(text: string): string {
  return rewriteMarkup(text, {
    comment: () => "",
    code: (_, inner) => shield(inner),
    address: (_, inner) => shield(inner),
    escape: ([, sign]) => shield(sign!),
    sign: shield,
  });
}

/** A text with its entities decoded; in code they are what they are. */
export function decodeMarkup(text: string): string {
  return text.includes("&") ? rewriteMarkup(text, { entity: decodeEntities }) : text;
}

const LINE_END =
  /^<(?:\/(?:p|div|li|h[1-6]|tr|table|ul|ol|pre|blockquote|details|summary|d[tdl]|fig\w+|center)|[bh]r)\b/i;

function plainTag(tag: string): string {
  if (/^<img\b/i.test(tag)) return ` ${/\salt=(["'])(.*?)\1/i.exec(tag)?.[2] ?? ""} `;
  return LINE_END.test(tag) ? "\n" : " ";
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾";
const LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎";

/** Numbers raised or lowered; of letters Unicode has too few: they stand as they are. */
function placeText(tag: string, text: string): string {
  const signs = tag.toLowerCase() === "sup" ? RAISED : LOWERED;
  const placed = [...unshield(text).replaceAll("−", "-")].map((sign) =>
    signs["0123456789+-=()".indexOf(sign)]
  );
  return placed.includes(undefined) ? text : placed.join("");
}

/** Marks beside letters of scripts that have no blanks between words. */
const AT_UNSPACED =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uffef])\*{2,3}|\*{2,3}(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uffef])/gu;

/** An item of a list of tasks, as a sign. */
export function checkbox(isDone: boolean): string {
  return isDone ? "☑" : "☐";
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

/**
 * Decodes the entities of HTML that sources put into texts, once: those with a name, and numbers of
 * printable characters. A blank that does not break becomes one that does.
 *
 * ```ts
 * const text = decodeEntities("caf&eacute; &ndash; R&amp;D &#8230; &unknown;");
 * if (text !== "café – R&D … &unknown;") throw new Error(text);
 * ```
 */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:[a-z][a-z0-9]{1,31}|#(\d{2,7})|#x([0-9a-f]{2,6}));/gi,
    (entity, decimal?: string, hex?: string) => {
      if (entity === "&nbsp;") return " ";
      if (entity[1] !== "#") return decodeHTMLStrict(entity);
      return decodeNumber(decimal ? Number(decimal) : parseInt(hex!, 16)) ?? entity;
    },
  );
}

/** Null for a number that is not that of a printable character. */
function decodeNumber(code: number): string | null {
  if (code > 0x10ffff) return null;
  const character = String.fromCodePoint(code);
  return /[\p{Cc}\p{Cs}]/u.test(character) ? null : character;
}

/**
 * Puts headings, paragraphs, list items and table rows that a source has glued together on lines of
 * their own.
 *
 * ```ts
 * const text = separateGlued("**Overview**Enable it.**Key points*** One.* Two, or:- Three");
 * if (text !== "**Overview**\n\nEnable it.\n\n**Key points**\n\n* One.\n* Two, or:\n- Three") {
 *   throw new Error(JSON.stringify(text));
 * }
 * ```
 */
export function separateGlued(text: string): string {
  return separateRows(text)
    .replace(/\*{3} (?=\S)/g, "**\n\n* ")
    .replace(/\*{4}/g, "**\n\n**")
    .replace(/(?<=[.!?:;)\]])([*-] )(?=\S)/g, "\n$1")
    .replace(/(?<=[.!?:;)])(\*\*(?=\S)[^*\n]*[^*\s]\*\*)/g, "\n\n$1")
    .replace(
      /(^|\n)(\*\*[^*\n]+\*\*)(?=[\p{L}\p{N}])(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])/gu,
      "$1$2\n\n",
    )
    .replace(/(?<=[^\s#]) *(#{2,6} )/g, "\n\n$1")
    .replace(/^(#{1,6} .{0,79}?\S) {2,}/gm, "$1\n\n");
}

/** A table in one line shows by the row of dashes under its head. */
function separateRows(text: string): string {
  if (!/\|\s*-{3,}\s*\|/.test(text) || text.includes("|\n")) return text;
  return text.replace(/\|\|/g, "|\n|").replace(/^([^|\n]+)\|/, "$1\n\n|");
}

/**
 * The name of a release as people read it. What programs get is the name as the source has it.
 *
 * ```ts
 * if (cleanName(" R&amp;D\u202e\n") !== "R&D") throw new Error();
 * ```
 */
export function cleanName(name: string): string {
  return toLine(decodeEntities(name));
}
