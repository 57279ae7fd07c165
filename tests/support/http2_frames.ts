/** Types of frames (RFC 9113, section 6). */
export const DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, CONTINUATION = 9;
export const END_STREAM = 1, END_HEADERS = 4;

/** The connection preface of a client (RFC 9113, section 3.4), with its settings. */
export function preface(settings: readonly number[] = []): Uint8Array {
  const magic = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  return join([magic, frame(SETTINGS, { payload: settings })]);
}

/** One frame (RFC 9113, section 4.1). */
export function frame(
  type: number,
  { flags = 0, stream = 0, payload = [] }: {
    flags?: number;
    stream?: number;
    payload?: readonly number[];
  },
): Uint8Array {
  const { length } = payload;
  const head = [length >> 16, length >> 8 & 255, length & 255, type, flags];
  return new Uint8Array([
    ...head,
    0,
    stream >> 16 & 255,
    stream >> 8 & 255,
    stream & 255,
    ...payload,
  ]);
}

/** The header block of a GET over http to localhost (RFC 7541, appendix A). */
export function getHeaders(path: string): number[] {
  return [0x82, 0x86, ...header(0x04, path), ...header(0x01, "localhost")];
}

/** A header with a literal value: its name by its index, or by its own literal (RFC 7541, 6.2). */
export function header(name: number | string, value: string): number[] {
  return [...typeof name === "number" ? [name] : [0x00, ...literal(name)], ...literal(value)];
}

/** A header that the server adds to its dynamic table (RFC 7541, 6.2.1), at index 62. */
export function indexedHeader(name: string, value: string): number[] {
  return [0x40, ...literal(name), ...literal(value)];
}

/** A length with a 7-bit prefix (RFC 7541, 5.1), and the bytes. */
function literal(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  const length: number[] = [Math.min(bytes.length, 127)];
  if (bytes.length >= 127) {
    let rest = bytes.length - 127;
    for (; rest >= 128; rest >>= 7) length.push(rest % 128 + 128);
    length.push(rest);
  }
  return [...length, ...bytes];
}

/** Joins frames, to be sent at once. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
