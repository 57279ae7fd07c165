import { decodeAs, encodingByMark } from "../../text/encodings.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { likelyEncodings, looksLikeWords } from "./wrong_encoding.ts";

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
