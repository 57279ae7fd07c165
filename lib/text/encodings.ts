/** The first bytes of a text may name its encoding (Encoding Standard, section 6, "BOM sniff"). */
const BYTE_ORDER_MARKS: readonly [encoding: string, mark: number[]][] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/** The encoding that a text names by its first bytes; null: none. */
export function encodingByMark(bytes: Uint8Array): string | null {
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  return marked?.[0] ?? null;
}

/** A text without its byte order mark; null: the bytes are none in this encoding. */
export function decodeAs(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * A file that a person wrote, as Windows saves it as well: UTF-8, or UTF-16 with its mark.
 *
 * ```ts
 * const utf16 = new Uint8Array([0xff, 0xfe, 0x41, 0, 0x3d, 0]);
 * if (decodeFile(utf16) !== "A=") throw new Error();
 * if (decodeFile(new TextEncoder().encode("\ufeffA=")) !== "A=") throw new Error();
 * ```
 *
 * @throws {TypeError} that says how to save it
 */
export function decodeFile(bytes: Uint8Array): string {
  const text = decodeAs(bytes, encodingByMark(bytes) ?? "utf-8");
  if (text === null || text.includes("\0")) {
    throw new TypeError("it is not UTF-8: save it as UTF-8");
  }
  return text;
}
