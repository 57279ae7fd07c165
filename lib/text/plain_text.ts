import { separateGlued } from "./separate_glued.ts";

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#39": "'",
  nbsp: " ",
};

/** Decodes the entities that sources put into texts that are no HTML, once. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!);
}

/**
 * What a description says without its marks: no tags, no Markdown, one line.
 *
 * ```ts
 * const text = toPlainText("**Overview**Enable &quot;it&quot;:<br/>* *soon*, see [here](https://a.example)");
 * if (text !== 'Overview Enable "it": · soon, see here') throw new Error(text);
 * ```
 */
export function toPlainText(description: string): string {
  return separateGlued(decodeEntities(description))
    .replace(/<\/?[a-z][^<>]*>/gi, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/^\s*(#{1,6}|>)\s+/gm, " ")
    .replace(/\*{3}(?=\s)|(?<=[\s.:;!?)])\*(?=\s)|^\s*([-*+]|\d+\.)(?=\s)/gm, " · ")
    .replace(/\*{2,}|`+|(?<!\w)__|__(?!\w)/g, " ")
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?!\w)/g, "$1")
    .replace(/\|[\s|:-]*(?:-{3}[\s|:-]*)?/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;:!?)])/g, "")
    .replace(/^[ ·]+|[ ·]+$/g, "");
}

/**
 * A piece of a text of about this many characters, around the first place where the words stand.
 *
 * ```ts
 * const text = excerpt("one two three four five six", { words: "five", length: 12 });
 * if (text !== "… four five …") throw new Error(text);
 * ```
 */
export function excerpt(text: string, { words, length }: { words?: string; length: number }) {
  // Four more characters, so that a piece which was cut before stays as it is.
  if (text.length <= length + 4) return text;
  const found = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
  const wanted = found < length / 2 ? 0 : Math.min(found - length / 2, text.length - length);
  const start = wanted === 0 ? 0 : text.indexOf(" ", wanted) + 1;
  const end = start + length >= text.length ? text.length : text.lastIndexOf(" ", start + length);
  const piece = text.slice(start, end > start ? end : start + length).trim();
  return `${start > 0 ? "… " : ""}${piece}${end < text.length ? " …" : ""}`;
}
