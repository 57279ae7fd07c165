/** A part of a question between blanks, or between quotation marks. */
export interface QuestionPart {
  text: string;
  isQuoted: boolean;
  /** The question ends with it. */
  isLast: boolean;
}

const QUOTED = /["“”„«»]([^"“”„«»]+)["“”„«»]/;

/** Scripts that write words without blanks between them, or with endings that no stem takes away. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Cuts a question into its pieces; empty: it cannot be searched by words.
 *
 * ```ts
 * const pieces = readQuestion('sign-in "Power BI"').map(({ text }) => text);
 * if (pieces.join("|") !== "sign-in|Power BI") throw new Error(pieces.join("|"));
 * ```
 */
export function readQuestion(q: string): QuestionPart[] {
  if (WITHOUT_BLANKS.test(q) || isWebAddress(q)) return [];
  // Splitting by a group leaves what is quoted at the odd places.
  const pieces = q.split(QUOTED).flatMap((text, place) =>
    place % 2 === 1
      ? { text, isQuoted: true }
      : text.split(/\s+/).filter((word) => word !== "").map((text) => ({ text, isQuoted: false }))
  );
  return pieces.map((piece, place) => ({ ...piece, isLast: place === pieces.length - 1 }));
}

/** Whether a question is an address: it is found as it stands, and its parts are no words. */
export function isWebAddress(q: string): boolean {
  return /^https?:\/\/\S+$/i.test(q.trim());
}

/** Strokes and commas divide the words of a rule: only what is quoted stands together. */
export function divideRule(piece: QuestionPart): QuestionPart[] {
  if (piece.isQuoted) return [piece];
  const texts = piece.text.split(/[/,;|]+/).filter((text) => text !== "");
  return texts.map((text, place) => ({
    ...piece,
    text,
    isLast: piece.isLast && place === texts.length - 1,
  }));
}
