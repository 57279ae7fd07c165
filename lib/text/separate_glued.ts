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
    .replace(/(?<=[.!?:;)])(\*\*[^*\n]+\*\*)/g, "\n\n$1")
    .replace(/(^|\n)(\*\*[^*\n]+\*\*)(?=[\p{L}\p{N}])/gu, "$1$2\n\n")
    .replace(/(?<=[^\s#]) *(#{2,6} )/g, "\n\n$1")
    .replace(/^(#{1,6} .{0,79}?\S) {2,}/gm, "$1\n\n");
}

/** A table in one line shows by the row of dashes under its head. */
function separateRows(text: string): string {
  if (!/\|\s*-{3,}\s*\|/.test(text) || text.includes("|\n")) return text;
  return text.replace(/\|\|/g, "|\n|").replace(/^([^|\n]+)\|/, "$1\n\n|");
}
