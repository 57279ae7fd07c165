/** Words with what stands inside of words where a text is read in a wrong encoding. */
const LATIN_WORD = /[\p{L}\p{M}¡¢£¤¥¦§¨©¬¯±³¶¸¹¼½¾¿]+/gu;
/** Signs within a word, but of a part that is UTF-8 ("Ã¼"), and "¿" and "¡" behind a letter. */
const SIGN_INSIDE = /(?![ÂÃ])\p{L}[¡¢£¤¥¦§¨©¬¯±³¶¸¹¼½¾¿]\p{L}|\p{L}[¡¿]/u;
/** No language that is written in Latin letters has so many with marks side by side, but "äöüß" is a list of them. */
const MARKED = /(?![ÄÖÜäöüß]{4})[\u00c0-\u024f]{4}/u;
/** A capital with a mark behind a small letter. */
const CAPITAL_INSIDE = /\p{Ll}(?![A-ZÂÃ])\p{Lu}/u;
const LATIN = /\p{Script=Latin}/u;
const OTHER = /(?!\p{Script=Latin}|\p{Script=Common}|\p{Script=Inherited})\p{L}/u;
/** Of so many words with other letters than ASCII's one may be odd. */
const ODD_AMONG = 10;
/** Those of other parts of Europe, and of the Middle East, with one byte for a letter. */
const OTHERS = ["windows-1250", "windows-1251", "windows-1253", "windows-1255", "windows-1256"];

/**
 * Whether a text is made of words, or of what a wrong encoding makes of them.
 *
 * ```ts
 * if (!looksLikeWords("Création d'une œuvre à 20 m³ für Ålesund")) throw new Error();
 * if (!looksLikeWords("Umlaute (äöüß) im Export")) throw new Error();
 * if (looksLikeWords("Dzia³a te¿") || looksLikeWords("Òåìíàÿ òåìà")) throw new Error();
 * ```
 */
export function looksLikeWords(text: string): boolean {
  let [words, odd] = [0, 0];
  for (const [word] of text.matchAll(LATIN_WORD)) {
    if (/^[\x20-\x7e]*$/.test(word)) continue;
    words++;
    if (isOdd(word)) odd++;
  }
  return odd * ODD_AMONG <= words;
}

function isOdd(word: string): boolean {
  return SIGN_INSIDE.test(word) || MARKED.test(word) || CAPITAL_INSIDE.test(word) ||
    LATIN.test(word) && OTHER.test(word);
}

/** The encodings in which bytes look like words. */
export function likelyEncodings(bytes: Uint8Array): string[] {
  return OTHERS.filter((encoding) => {
    try {
      return looksLikeWords(new TextDecoder(encoding, { fatal: true }).decode(bytes));
    } catch {
      return false;
    }
  });
}
