import { SnapshotError } from "../mapping/snapshot_item.ts";
import { decodableLength, type Encoding, wholeLength } from "./whole_characters.ts";
import { findUncertain, findUndefined, isWestern } from "./windows_1252.ts";

/** The first bytes of a text may name its encoding (Encoding Standard, section 6, "BOM sniff"). */
const BYTE_ORDER_MARKS: readonly [Encoding, number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The text of a source in pieces, without its byte order mark: decoded as the mark says, else as
 * UTF-8, else as windows-1252 if that is certain. No byte is replaced by U+FFFD.
 *
 * @throws {SnapshotError} with the line and the byte that cannot be decoded
 */
export async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  options: { location: string; charset: string | null },
): AsyncGenerator<string> {
  let decoding: Decoding | undefined;
  for await (const piece of pieces) {
    const found = decoding ? null : BYTE_ORDER_MARKS.find(([, mark]) => beginsWith(piece, mark));
    const [encoding, mark] = found ?? ["utf-8" as const, []];
    decoding ??= new Decoding(encoding, mark, options);
    yield* decoding.decode(piece.subarray(mark.length), false);
  }
  if (decoding) yield* decoding.decode(new Uint8Array(), true);
}

function beginsWith(bytes: Uint8Array, begin: readonly number[]): boolean {
  return begin.every((byte, index) => bytes[index] === byte);
}

/** One text on its way from bytes to characters. */
class Decoding {
  private readonly isMarked: boolean;
  #line = 1;
  #isAscii = true;
  #before: number | undefined;
  /** The start of a character that continues in the next piece. */
  #rest: Uint8Array = new Uint8Array();

  /** How many bytes were decoded, with the byte order mark. */
  #offset: number;

  constructor(
    private encoding: Encoding,
    mark: readonly number[],
    private readonly options: { location: string; charset: string | null },
  ) {
    this.#offset = mark.length;
    this.isMarked = mark.length > 0;
  }

  *decode(piece: Uint8Array, isLast: boolean): Generator<string> {
    const bytes = concat(this.#rest, piece);
    const end = isLast ? bytes.length : wholeLength(bytes, this.encoding);
    this.#rest = bytes.slice(end);
    const whole = bytes.subarray(0, end);
    const good = this.#goodLength(whole);
    yield this.#take(whole.subarray(0, good));
    if (good === end) return;
    // If everything so far is ASCII, it is the same in windows-1252.
    if (this.encoding !== "utf-8" || this.isMarked || !this.#isAscii) {
      throw this.#refuse(whole[good]!);
    }
    this.encoding = "windows-1252";
    this.#rest = bytes.slice(good);
    yield* this.decode(new Uint8Array(), isLast);
  }

  /** How many leading bytes can be decoded. */
  #goodLength(bytes: Uint8Array): number {
    if (this.encoding !== "windows-1252") return decodableLength(bytes, this.encoding);
    const { charset } = this.options;
    const bad = charset !== null && isWestern(charset)
      ? findUndefined(bytes)
      : findUncertain(bytes, this.#before);
    return bad === -1 ? bytes.length : bad;
  }

  #take(bytes: Uint8Array): string {
    const text = new TextDecoder(this.encoding, { ignoreBOM: true }).decode(bytes);
    this.#isAscii &&= text.length === bytes.length;
    this.#before = bytes.at(-1) ?? this.#before;
    this.#offset += bytes.length;
    for (let at = -1; (at = text.indexOf("\n", at + 1)) !== -1;) this.#line++;
    return text;
  }

  #refuse(byte: number): SnapshotError {
    const shown = `0x${byte.toString(16).padStart(2, "0").toUpperCase()}`;
    const reason = {
      "utf-8": "is not UTF-8, though the text before it is",
      "windows-1252": "is not UTF-8, and not certain to be windows-1252",
      "utf-16le": "is not UTF-16, though the text begins as such",
      "utf-16be": "is not UTF-16, though the text begins as such",
    }[this.encoding];
    return new SnapshotError(
      `Cannot read ${this.options.location}: the byte ${shown} in line ${this.#line} ` +
        `(offset ${this.#offset}) ${reason}: save the text as UTF-8`,
    );
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
