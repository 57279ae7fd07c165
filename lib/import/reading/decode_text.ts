import { SnapshotError } from "../snapshot_error.ts";

/** The first bytes of a text may name its encoding (Encoding Standard, section 6, "BOM sniff"). */
const BYTE_ORDER_MARKS: readonly [encoding: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The text of a source in pieces, without its byte order mark: decoded as the mark says, else as
 * UTF-8, else as the server says or as windows-1252. No byte is replaced by U+FFFD.
 *
 * @throws {SnapshotError} if it cannot be decoded
 */
export async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  { location, charset }: { location: string; charset: string | null },
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  /** While all text is ASCII, the same in most encodings: the bytes at its end, not decoded yet. */
  let rest: Uint8Array | null = new Uint8Array();
  const decode = (piece: Uint8Array, stream: boolean): string => {
    if (!decoder) {
      const marked = findMarked(piece);
      decoder = openDecoder(marked ?? "utf-8");
      if (marked) rest = null;
    }
    const bytes = rest && Buffer.concat([rest, piece]);
    try {
      const text = decoder.decode(piece, { stream });
      rest = bytes && isAscii(text) ? bytes.subarray(text.length) : null;
      return text;
    } catch {
      if (!bytes || beginsAsUtf8(bytes)) {
        throw new SnapshotError(
          `Cannot read ${location}: it is not valid ${decoder.encoding.toUpperCase()}: ` +
            "save the text as UTF-8",
        );
      }
      decoder = openDecoder(findOther(charset) ?? "windows-1252");
      rest = null;
      return decode(bytes, stream);
    }
  };
  for await (const piece of pieces) yield decode(piece, true);
  yield decode(new Uint8Array(), false);
}

function openDecoder(encoding: string): TextDecoder {
  return new TextDecoder(encoding, { fatal: true });
}

function findMarked(bytes: Uint8Array): string | undefined {
  const found = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  return found?.[0];
}

/** The encoding that a charset parameter names, if it is known and none that is tried first. */
function findOther(charset: string | null): string | null {
  try {
    const { encoding } = new TextDecoder(charset ?? "utf-8");
    return encoding.startsWith("utf-") ? null : encoding;
  } catch {
    return null; // no name of a charset
  }
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** Whether the first character that is not ASCII is one in UTF-8. */
function beginsAsUtf8(bytes: Uint8Array): boolean {
  return /^[\0-\x7f]*[^\0-\x7f\ufffd]/.test(new TextDecoder().decode(bytes));
}
