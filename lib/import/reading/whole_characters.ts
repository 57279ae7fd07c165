/** The encodings that a source may have. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** How many bytes, from the first one on, come before a character that may go on in the next piece. */
export function wholeLength(bytes: Uint8Array, encoding: Encoding): number {
  const { length } = bytes;
  switch (encoding) {
    case "windows-1252": // what comes after a letter tells how certain it is
      return bytes.at(-1)! >= 0x80 ? length - 1 : length;
    case "utf-8": {
      const lead = Math.max(0, bytes.findLastIndex((byte) => byte < 0x80 || byte >= 0xc0));
      const first = bytes[lead] ?? 0;
      const wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
      return length - lead < wanted ? lead : length;
    }
    default: {
      const even = length - length % 2;
      const high = bytes[encoding === "utf-16le" ? even - 1 : even - 2] ?? 0;
      return high >= 0xd8 && high <= 0xdb ? even - 2 : even;
    }
  }
}

/** How many bytes, from the first one on, are whole characters of an encoding. */
export function decodableLength(bytes: Uint8Array, encoding: Encoding): number {
  if (isDecodable(bytes, encoding, false)) return bytes.length;
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isDecodable(bytes.subarray(0, middle), encoding, true)) good = middle;
    else bad = middle;
  }
  return wholeLength(bytes.subarray(0, good), encoding);
}

/** `stream`: the last character may be cut. */
function isDecodable(bytes: Uint8Array, encoding: Encoding, stream: boolean): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream });
    return true;
  } catch {
    return false;
  }
}
