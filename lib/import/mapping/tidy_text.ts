/** Signs that take no room, and that no name means. */
export const ZERO_WIDTH = /[\u200b\u2060\ufeff]/g;

/**
 * A short text without blanks and signs of no width at its ends, and with single blanks inside. What
 * joins the signs of an emoji stays.
 *
 * ```ts
 * if (tidyText("\u00a0In  progress\u200b ") !== "In progress") throw new Error();
 * ```
 */
export function tidyText(text: string): string {
  return text.replace(ZERO_WIDTH, "").replace(/[\s\p{Z}]+/gu, " ")
    .replace(/^[\s\p{Cf}]+|(?<![\s\p{Cf}])[\s\p{Cf}]+$/gu, "");
}
