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
