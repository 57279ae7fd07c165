import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseCoding, type Coding, matchesEtag } from "./conditional.ts";

/** What a route has to say, before it is turned into bytes. */
export interface Content {
  contentType: string;
  body: string;
  /** Where the answer has a time of its own (`YYYY-MM-DD`, 00:00:00 GMT); else it is the building's. */
  lastModified?: string;
  /** Where the answer must not live as long as others of its route. */
  shortLived?: { seconds: number };
  /** The client whom it was made for, where others may get another one: it is sent to nobody else. */
  onlyFor?: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * Bytes, or their text where it is ASCII: `Response` copies bytes at each answer, which costs twice
 * what a text does. Both have the same length.
 */
export type Body = string | Uint8Array<ArrayBuffer>;

/** A built answer: bytes that can be sent again and again. */
export interface Representation {
  readonly body: Body;
  readonly etag: string;
  /** All headers of a 200 answer that is not compressed. */
  readonly headers: Readonly<Record<string, string>>;
  /** For a client that has it already (RFC 9110, section 15.4.5); clones of it are sent. */
  readonly notModified: Response;
  /** Made when the first client asks for them, each with all headers of its 200 answer. */
  readonly encoded: Partial<Record<Coding, Encoded>>;
}

/** A compressed form of a built answer. */
export interface Encoded {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

const NOT_MODIFIED_HEADERS = ["Cache-Control", "ETag", "Last-Modified", "Vary", "Link"];

/** Headers by which a page of another origin may read an answer (Fetch Standard, 3.3). */
export const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Link, X-Cache, X-Search-Mode",
};

/**
 * Proxies read the head of an answer into a buffer of a few KB (nginx: proxy_buffer_size), and fail
 * where it is longer. What a Link says stands in the body as well.
 */
const LONGEST_LINK = 2_048;

/** Turns content into bytes with their entity tag, which depends on nothing but the bytes. */
export function represent(content: Content, cacheControl: string, now: Date): Representation {
  const { body, lastModified, shortLived, onlyFor } = content;
  const lifetime = shortLived ? `public, max-age=${shortLived.seconds}` : cacheControl;
  const etag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
  const isAscii = Buffer.byteLength(body) === body.length;
  return withHeaders(isAscii ? body : new TextEncoder().encode(body), {
    "Content-Type": content.contentType,
    "Cache-Control": onlyFor === undefined ? lifetime : lifetime.replace("public", "private"),
    "ETag": etag,
    "Last-Modified": (lastModified ? new Date(`${lastModified}T00:00:00Z`) : now).toUTCString(),
    "Vary": "Accept-Encoding",
    ...CORS_HEADERS,
    ...withoutLongLink(content.headers),
  });
}

function withoutLongLink(headers: Content["headers"] = {}): Content["headers"] {
  const { Link, ...others } = headers;
  return Link !== undefined && Link.length > LONGEST_LINK ? others : headers;
}

/** Answers one request with content that no cache may keep. */
export function answerUnkept({ contentType, body, headers }: Content): Response {
  return new Response(body, {
    headers: {
      "Content-Type": contentType,
      "Cache-Control": "no-store",
      ...CORS_HEADERS,
      ...withoutLongLink(headers),
    },
  });
}

/** A representation of bytes that have been built before, with all their headers. */
export function restore(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Representation {
  const text = new TextDecoder().decode(bytes);
  return withHeaders(text.length === bytes.length ? text : bytes, headers);
}

function withHeaders(
  body: Body,
  headers: Readonly<Record<string, string>>,
): Representation {
  const repeated = [...NOT_MODIFIED_HEADERS, ...Object.keys(CORS_HEADERS)];
  const notModified = new Response(null, {
    status: 304,
    headers: Object.entries(headers).filter(([name]) => repeated.includes(name)),
  });
  return { body, etag: headers.ETag!, headers, notModified, encoded: {} };
}

/** A representation that may be served now; `stale`: newer data could exist. */
export interface Served {
  readonly representation: Representation;
  readonly stale: boolean;
  /** The client whom it was made for, where nobody else is to get it. */
  readonly onlyFor?: string;
}

/** What a representation takes in memory, its compressed forms included, in bytes. */
export function sizeOf({ body, encoded, headers }: Representation): number {
  const overhead = 2_000 + JSON.stringify(headers).length * 2;
  return overhead + body.length + (encoded.br?.body.length ?? 0) + (encoded.gzip?.body.length ?? 0);
}

/** Smaller bodies gain nothing by compression. */
const LEAST_BYTES = 256;

/** The coding in which this client is to get this representation; null: as it is. */
export function codingFor(request: Request, { body }: Representation): Coding | null {
  return body.length < LEAST_BYTES ? null : chooseCoding(request.headers.get("accept-encoding"));
}

/** Compresses a representation, once. */
export async function encode(representation: Representation, coding: Coding): Promise<void> {
  const { body, headers, encoded } = representation;
  const compressed = coding === "br" ? await brotli(body, BROTLI) : await promisify(gzip)(body);
  encoded[coding] ??= {
    body: new Uint8Array(compressed),
    headers: { ...headers, "Content-Encoding": coding },
  };
}

const brotli = promisify(brotliCompress);
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const STALE = "STALE";

/** Answers 304 where the client has the representation already; null: it wants the bytes. */
export function answerNotModified(request: Request, served: Served): Response | null {
  const { etag, notModified } = served.representation;
  if (!matchesEtag(request.headers.get("if-none-match"), etag)) return null;
  return markStale(notModified.clone(), served);
}

/** Answers a GET with the bytes of a representation in this coding, a HEAD with their headers. */
export function answerWhole(request: Request, served: Served, coding: Coding | null): Response {
  const { body, headers } = coding ? served.representation.encoded[coding]! : served.representation;
  const response = request.method === "HEAD"
    ? new Response(null, { headers: { ...headers, "Content-Length": String(body.length) } })
    : new Response(body, { headers });
  return markStale(response, served);
}

function markStale(response: Response, { stale }: Served): Response {
  if (stale) response.headers.set("X-Cache", STALE);
  return response;
}
