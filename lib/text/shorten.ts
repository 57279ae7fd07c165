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
