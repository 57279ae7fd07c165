/** A piece of a text; `hit`: the reader looked for it. */
export interface Piece {
  text: string;
  hit: boolean;
}

/**
 * Cuts a text where what was looked for stands: the whole search, or else its single words.
 *
 * ```ts
 * const pieces = markWords("Sign-in with passkeys", "PASS");
 * if (JSON.stringify(pieces.map(({ text }) => text)) !== '["Sign-in with ","pass","keys"]') {
 *   throw new Error(JSON.stringify(pieces));
 * }
 * ```
 */
export function markWords(text: string, search: string | undefined): Piece[] {
  if (!search) return [{ text, hit: false }];
  const whole = cut(text, [search]);
  if (whole.length > 1 || whole[0]?.hit) return whole;
  const words = search.split(/\s+/).filter((word) => word.length > 2);
  return words.length > 0 ? cut(text, words) : whole;
}

/** Splitting by a group leaves the matches at the odd places. */
function cut(text: string, words: readonly string[]): Piece[] {
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${pattern})`, "iu"))
    .map((text, place) => ({ text, hit: place % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
