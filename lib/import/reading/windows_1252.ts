const WESTERN = "windows-1252";
/** Code pages in which the same byte may be another letter of the Latin script. */
const OTHER_LATIN = ["windows-1250", "windows-1254", "windows-1257"];
const OTHERS = [...OTHER_LATIN, "windows-1251", "windows-1253", "windows-1255", "windows-1256"];
/** Bytes that are undefined in windows-1252. */
const UNDEFINED = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/**
 * The first byte of a text that is not certain to be windows-1252; -1 if all are. A byte is certain
 * if it means the same in the other Windows code pages, such as those of `ä ö ü ß é` and quotation
 * marks. A letter needs an ASCII letter beside it too: in other scripts (Cyrillic, Greek …) such
 * bytes make whole words.
 *
 * @param before the byte that came before; none at the begin of a text
 */
export function findUncertain(bytes: Uint8Array, before?: number): number {
  return bytes.findIndex((byte, index) => {
    if (byte < 0x80 || SIGNS.has(byte)) return false;
    const neighbours = [index === 0 ? before : bytes[index - 1], bytes[index + 1]];
    return !LETTERS.has(byte) || !neighbours.some(isAsciiLetter);
  });
}

/** The first byte that is undefined in windows-1252; -1 if there is none. */
export function findUndefined(bytes: Uint8Array): number {
  return bytes.findIndex((byte) => UNDEFINED.includes(byte));
}

/** Tells whether a charset parameter names windows-1252 or the part of it that is ISO 8859-1. */
export function isWestern(charset: string): boolean {
  try {
    // The Encoding Standard counts ASCII in, which has no such bytes.
    return new TextDecoder(charset).encoding === WESTERN && !/ascii/i.test(charset);
  } catch {
    return false; // no name of a charset
  }
}

function isAsciiLetter(byte = 0): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const UPPER_HALF = Array.from({ length: 0x80 }, (_, index) => index + 0x80);
const LETTERS = new Set(UPPER_HALF.filter((byte) => isLetter(byte) && agree(byte, OTHER_LATIN)));
const SIGNS = new Set(UPPER_HALF.filter((byte) => !isLetter(byte) && agree(byte, OTHERS)));

function isLetter(byte: number): boolean {
  return /\p{L}/u.test(decode(byte, WESTERN));
}

function agree(byte: number, codePages: readonly string[]): boolean {
  return codePages.every((codePage) => decode(byte, codePage) === decode(byte, WESTERN));
}

function decode(byte: number, encoding: string): string {
  return new TextDecoder(encoding).decode(Uint8Array.of(byte));
}
