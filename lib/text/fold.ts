/**
 * Normalising takes time quadratic in the number of combining marks on one letter; no language has
 * more than 30 (UAX #15, section 13), after which the Combining Grapheme Joiner breaks them up.
 */
const MAX_MARKS = 30;
const JOINER = "\u034f";

/** Stands between the fields of a search text; no folded text holds it. */
export const FIELD_BOUNDARY = "\u001f";

/** Signs that differ from those of a keyboard, and invisible ones, which nobody types. */
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]+/g;
const BLANK = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const HYPHEN = /[\u2010-\u2015\u2212]/g;
const APOSTROPHE = /[\u2018\u2019\u201b\u02bc\uff07]/g;
const QUOTATION_MARK = /[\u201c-\u201f\uff02]/g;

/**
 * Folds a text so that two texts which differ in case only become the same, in every script: the
 * full case folding of Unicode by way of the upper case (`ß` is `ss`, `ς` is `σ`), in NFC. It
 * starts from the lower case, since `ẞ` is its own upper case. All four Turkish letters are `i`.
 * Typographic blanks, hyphens, apostrophes and quotation marks become those of a keyboard, soft
 * hyphens and blanks without width go.
 *
 * ```ts
 * if (fold("ÉTÉ") !== fold("e\u0301te\u0301")) throw new Error();
 * if (fold("ΟΔΟΣ") !== fold("οδος")) throw new Error();
 * if (fold("STRAẞE") !== fold("straße")) throw new Error();
 * if (fold("Don’t re\u00adfresh") !== fold("don't refresh")) throw new Error();
 * if (fold("İSTANBUL") !== fold("istanbul")) throw new Error();
 * ```
 */
export function fold(text: string): string {
  return text.replace(/\p{M}+/gu, breakUp).normalize("NFC").toLowerCase().toUpperCase()
    .toLowerCase()
    .replace(INVISIBLE, "").replace(BLANK, " ").replace(HYPHEN, "-").replace(APOSTROPHE, "'")
    .replace(QUOTATION_MARK, '"')
    .replaceAll("i\u0307", "i").replaceAll("ς", "σ").replaceAll(FIELD_BOUNDARY, " ")
    .normalize("NFC");
}

function breakUp(marks: string): string {
  if (marks.length <= MAX_MARKS) return marks;
  return marks.match(new RegExp(`.{1,${MAX_MARKS}}`, "gsu"))!.join(JOINER);
}

/** The words of a query, trimmed of everything that folds to a blank; may be empty. */
export function trimWords(text: string): string {
  return text.replaceAll(FIELD_BOUNDARY, " ").trim();
}
