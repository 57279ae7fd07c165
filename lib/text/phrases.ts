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
  return parts.map(isolate).join(say("list.separator"));
}

/** Several parts that may have commas themselves, such as `a, b; c`. */
export function joinClauses(parts: readonly string[]): string {
  return parts.map(isolate).join(say("list.clauses"));
}

/** Facts beside each other, such as `Mail · Q3 2026`. */
export function joinFacts(facts: readonly string[]): string {
  return facts.filter(Boolean).map(isolate).join(" · ");
}

/** Sentences behind each other. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences.join(say("list.sentences"));
}

/** Dates that followed each other, such as `Q1 2026 → Q2 2026`. */
export function joinMoves([first, ...others]: readonly string[]): string {
  return [first!, ...others.map((date) => say("changelog.to", { date }))].map(isolate).join(" ");
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

/** Releases as they are, and by names in the order of the language where a key is the same. */
export function sortAlike<R extends { product_name: string; feature_name: string }>(
  releases: readonly R[],
  keyOf: (release: R) => string | null,
): R[] {
  const { compare } = new Intl.Collator(language().tag, { caseFirst: "upper" });
  return [...Map.groupBy(releases, keyOf).values()].flatMap((alike) =>
    alike.toSorted((one, other) =>
      compare(one.product_name, other.product_name) || compare(one.feature_name, other.feature_name)
    )
  );
}

/** A text that begins with a capital letter, where the language has such. */
export function capitalise(words: string): string {
  return words.slice(0, 1).toLocaleUpperCase(language().tag) + words.slice(1);
}

/** A label within a sentence: “Shipped” is “shipped” there, and “GA” stays. German has capitals. */
export function withinSentence(label: string): string {
  const isWord = language().tag !== "de" && /^\p{Lu}\p{Ll}/u.test(label);
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
