/**
 * Normalising takes time quadratic in the number of combining marks on one letter; no language has
 * more than 30 (UAX #15, section 13), after which the Combining Grapheme Joiner breaks them up.
 */
const MAX_MARKS = 30;
const JOINER = "\u034f";

/** Stands between the fields of a search text; no folded text holds it. */
export const FIELD_BOUNDARY = "\u001f";

/**
 * Folds a text so that two texts which differ in case only become the same, in every script: the
 * full case folding of Unicode by way of the upper case (`ß` is `ss`, `ς` is `σ`), in NFC. It
 * starts from the lower case, since `ẞ` is its own upper case. All four Turkish letters are `i`.
 *
 * ```ts
 * if (fold("ÉTÉ") !== fold("e\u0301te\u0301")) throw new Error();
 * if (fold("ΟΔΟΣ") !== fold("οδος")) throw new Error();
 * if (fold("STRAẞE") !== fold("straße")) throw new Error();
 * if (fold("İSTANBUL") !== fold("istanbul")) throw new Error();
 * ```
 */
export function fold(text: string): string {
  return text.replace(/\p{M}+/gu, breakUp).normalize("NFC").toLowerCase().toUpperCase()
    .toLowerCase()
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

/** The folded text that a substring search looks into; no match reaches over two fields. */
export function searchText(
  item: {
    feature_name: string;
    feature_description: string | null;
    product_names: readonly string[];
  },
): string {
  return [item.feature_name, item.feature_description ?? "", item.product_names.join("\n")]
    .map(fold).join(FIELD_BOUNDARY);
}
