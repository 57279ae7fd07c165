import { isolate, language, say } from "./say.ts";

/**
 * A count with its noun, in the English of commands and operators.
 *
 * ```ts
 * if (countOf(1, "release") !== "1 release") throw new Error();
 * if (countOf(1200, "release") !== "1,200 releases") throw new Error();
 * ```
 */
export function countOf(count: number, name: string): string {
  return count === 1 ? `1 ${name}` : `${count.toLocaleString("en")} ${name}s`;
}

/** Several parts as one text, such as `a, b, c`. */
export function joinParts(parts: readonly string[]): string {
  return parts.join(say("list.separator"));
}

/** Several names in a sentence, such as `a, b and c`. */
export function listInWords(
  names: readonly string[],
  type: "conjunction" | "disjunction" = "conjunction",
): string {
  const { tag } = language();
  return new Intl.ListFormat(tag === "en" ? "en-GB" : tag, { type }).format(names.map(isolate));
}

/** Names in the order of the language, as a page lists them. */
export function sortNames(names: readonly string[]): string[] {
  return names.toSorted(new Intl.Collator(language().tag, { caseFirst: "upper" }).compare);
}

/** A text that begins with a capital letter, where the language has such. */
export function capitalise(words: string): string {
  return words.slice(0, 1).toLocaleUpperCase(language().tag) + words.slice(1);
}

/** A label within a sentence: in English “Shipped” is “shipped” there, and “GA” stays. */
export function withinSentence(label: string): string {
  const isWord = language().tag === "en" && /^\p{Lu}\p{Ll}/u.test(label);
  return isWord ? label[0]!.toLowerCase() + label.slice(1) : label;
}

/**
 * A text as one line, as a name is shown: without control characters, which could forge lines or
 * steer a terminal, and without those of bidirectional text (Unicode Annex 9), which could show it
 * in another order.
 *
 * ```ts
 * if (toLine("a\r\nBcc:\u001b[2J b ") !== "a Bcc: [2J b") throw new Error();
 * if (toLine("\u202egnp.exe") !== "gnp.exe") throw new Error();
 * ```
 */
export function toLine(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, "").replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/**
 * A text of at most `length` characters, and "…" behind it where there was more.
 *
 * ```ts
 * if (shorten("one two", 7) !== "one two") throw new Error(shorten("one two", 7));
 * if (shorten("one two", 4) !== "one…") throw new Error(shorten("one two", 4));
 * ```
 */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  // A character is one or two units long: of a long text no more is looked at.
  const characters = [...text.slice(0, length * 2 + 2)];
  return characters.length <= length ? text : `${characters.slice(0, length).join("").trimEnd()}…`;
}

/** A text of a source for a message: in quotation marks, and shortened. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
