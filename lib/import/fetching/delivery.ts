/** The content of a source: its bytes, and their number if known. */
export interface Delivery {
  /** The final URL, after redirects. */
  readonly address: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly length: number | null;
  /** The media type in lower case, without parameters; null for a file. */
  readonly contentType: string | null;
  /** The charset stated by the server; null if there is none. */
  readonly charset: string | null;
  /** All headers; absent of a file. */
  readonly headers?: Headers;
  /** The next page, from the Link header (RFC 8288). */
  readonly next: string | null;
  /** The validators for a conditional request; null if the source sends none. */
  readonly validators: Validators | null;
}

/** The validators of a response, for conditional requests (RFC 9110, section 8.8). */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

/** All bytes of a stream; `refuse` throws if they are more than allowed. */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  refuse: () => never,
  onBytes?: (bytes: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > maxBytes) refuse();
    onBytes?.(chunk.length);
    parts.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
