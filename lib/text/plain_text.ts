import { decodeEntities } from "./decode_entities.ts";
import { bestPassage, type Marks } from "./mark_words.ts";
import { separateGlued } from "./separate_glued.ts";

/**
 * A text without the comments of HTML that templates leave in it. One without an end goes as far as
 * the text if it begins a line, as in Markdown; inside a line it is no comment.
 *
 * ```ts
 * const text = dropComments("One<!-- two --> three\n<!-- four");
 * if (text !== "One three\n") throw new Error(text);
 * ```
 */
export function dropComments(text: string): string {
  let kept = "";
  let at = 0;
  while (true) {
    const start = text.indexOf("<!--", at);
    if (start < 0) return kept + text.slice(at);
    const end = text.indexOf("-->", start + 2); // `<!-->` is a whole comment
    if (end < 0) {
      const isBlock = /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, start - 4), start));
      return kept + text.slice(at, isBlock ? start : undefined);
    }
    kept += text.slice(at, start);
    at = end + "-->".length;
  }
}

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
 * ```
 */
export function toPlainText(description: string): string {
  return separateGlued(dropComments(dropOverrides(decodeEntities(description))))
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(LINK, "$1").replace(LINK, "$1") // an image may be the text of a link
    .replace(/\s+/g, (space) => space.includes("\n") ? "\n" : " ")
    .replace(/^ ?(#{1,6}|>)\s/gm, " ")
    .replace(
      /^( ?(?:[-*+]|\d+\.) )\[([ x])\](?=\s)/gim,
      (_, item, mark) => item + checkbox(mark !== " "),
    )
    .replace(/\*{3}(?=\s)|(?<=[\s.:;!?)])\*(?=\s)|^ ?([-*+]|\d+\.)(?=\s)/gm, " · ")
    .replace(/\*{2,}|`+|(?<!\w)__|__(?!\w)/g, " ")
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?!\w)/g, "$1")
    .replace(/\|[\s|:-]*/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;:!?)])/g, "")
    .replace(/^[ ·]+|(?<![ ·])[ ·]+$/g, "");
}

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
