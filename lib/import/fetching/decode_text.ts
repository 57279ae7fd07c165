import { decodeAs, encodingByMark } from "../../text/encodings.ts";
import { SnapshotError } from "../snapshot_error.ts";

/** What is known of a text before it is decoded. */
interface EncodedText {
  shown: string;
  bytes: Uint8Array;
  charset: string | null;
}

/** XML 1.0, section 4.3.3: `<?xml version="1.0" encoding="windows-1251"?>`. */
const DECLARATION = /^\s{0,99}<\?xml\s[^>]{0,200}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/;
/** What many servers state of any text. */
const USUAL = "windows-1252";
export const OR = new Intl.ListFormat("en", { type: "disjunction" });
const ADVICE = "save the text as UTF-8, or name its encoding (--encoding)";
/** Windows-1252 leaves five bytes free; TextDecoder makes control characters of them. */
const CONTROLS = /[\x80-\x9f]/;

/**
 * The text of a source, without its byte order mark: decoded as the caller says, else as its mark,
 * its server or its declaration says, else as UTF-8 or windows-1252, where that is certain. No byte
 * is replaced by U+FFFD.
 *
 * @throws {SnapshotError} if it cannot be decoded, or is no text
 */
export function decodeText({ shown, bytes, charset }: EncodedText, encoding?: string): string {
  refuseArchive(bytes, shown);
  const refuse = (reason: string) =>
    new SnapshotError(`Cannot read ${shown}: ${reason}: ${ADVICE}`);
  const decode = (name: string) => decodeAs(bytes, name);
  const must = (name: string) => {
    const text = decode(name);
    if (text === null) throw refuse(`it is not valid ${name.toUpperCase()}`);
    return text;
  };
  if (encoding !== undefined) return must(encoding);
  const marked = encodingByMark(bytes);
  if (marked !== null) return must(marked);
  const stated = findEncoding(charset) ?? declaredIn(bytes);
  if (stated !== null && stated !== "utf-8" && stated !== USUAL) return must(stated);
  const text = decode("utf-8");
  if (text !== null) return text;
  if (beginsAsUtf8(bytes)) throw refuse("it is not valid UTF-8");
  const usual = must(USUAL);
  if (stated !== USUAL && CONTROLS.test(usual)) {
    throw refuse("it is neither UTF-8 nor windows-1252");
  }
  if (looksLikeWords(usual)) return usual;
  const likely = likelyEncodings(bytes);
  const other = likely.length > 0 ? `, but does in ${OR.format(likely)}` : "";
  throw refuse(`its encoding is unknown: it does not read as words in windows-1252${other}`);
}

/** Whether there is an encoding of that name, or what it is called. */
export function findEncoding(name: string | null): string | null {
  try {
    return name === null ? null : new TextDecoder(name.trim()).encoding;
  } catch {
    return null;
  }
}

function declaredIn(bytes: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 400));
  return findEncoding(DECLARATION.exec(start)?.[1] ?? null);
}

/** Whether the first character that is not ASCII is one in UTF-8. */
function beginsAsUtf8(bytes: Uint8Array): boolean {
  const at = bytes.findIndex((byte) => byte > 0x7f);
  return !new TextDecoder().decode(bytes.subarray(at, at + 4)).startsWith("\ufffd");
}

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
function likelyEncodings(bytes: Uint8Array): string[] {
  return OTHERS.filter((encoding) => {
    try {
      return looksLikeWords(new TextDecoder(encoding, { fatal: true }).decode(bytes));
    } catch {
      return false;
    }
  });
}

const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** The first bytes of files that are not text, and what to do with them. */
const ARCHIVES: readonly [begin: number[], advice: string][] = [
  [ZIP, 'it is a spreadsheet (.xlsx) or an archive, not text: leave out the kind, or set "xlsx"'],
  [
    [0xd0, 0xcf, 0x11, 0xe0], // the compound files of older Office, and those with a password
    "it is an old spreadsheet (.xls), or one with a password: save it as .xlsx without a password",
  ],
  [[0x1f, 0x8b], "it is compressed (gzip): unpack it and import what is in it"],
  [[0x25, 0x50, 0x44, 0x46], "it is a PDF, not text: export the roadmap as CSV or JSON"],
];

/** Whether bytes are the beginning of a ZIP archive, as a spreadsheet (.xlsx) is one. */
export function isZip(bytes: Uint8Array): boolean {
  return beginsWith(bytes, ZIP);
}

/** @throws {SnapshotError} if the bytes are not text, with what to do instead */
export function refuseArchive(bytes: Uint8Array, location: string): void {
  const found = ARCHIVES.find(([begin]) => beginsWith(bytes, begin));
  if (found) throw new SnapshotError(`Cannot read ${location}: ${found[1]}`);
}

function beginsWith(bytes: Uint8Array, begin: readonly number[]): boolean {
  return begin.every((byte, at) => bytes[at] === byte);
}
