import { language } from "../../text/messages.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { chooseCoding, type Coding, matchesEtag } from "./conditional.ts";

/** The content of a response, before it is encoded. */
export interface Content {
  contentType: string;
  body: string | Uint8Array<ArrayBuffer>;
  /**
   * The response's own modification day (`YYYY-MM-DD`, 00:00:00 GMT); absent: the time it was
   * built.
   */
  lastModified?: string;
  /**
   * Present if the response must expire sooner than others of its route; no cache keeps a private
   * one for other clients, who may get a different response.
   */
  shortLived?: { seconds: number; isPrivate?: boolean };
  /** Present if it is wrong from a moment on, in milliseconds since 1970. */
  validUntil?: number;
  headers?: Readonly<Record<string, string>>;
  /** Only of an answer that is not cached; absent: 200. */
  status?: number;
}

/**
 * A body that may be sent many times. Most are sent once, from what was built. From the second time on
 * clones of one response are sent: they share its bytes, and their headers are right already.
 */
class Kept {
  #response: Response | undefined;
  #wasSent = false;

  /** @param body bytes, or a text of ASCII alone, which is as long */
  constructor(
    public body: Content["body"],
    private readonly headers: Representation["headers"],
  ) {}

  answer(): Response {
    if (!this.#wasSent) {
      this.#wasSent = true;
      return this.#make();
    }
    // Deno copies a text for each response, which takes four times as long for one of 500 KB.
    if (typeof this.body === "string") this.body = new TextEncoder().encode(this.body);
    return (this.#response ??= this.#make()).clone();
  }

  /** The response without its body. */
  answerHead(): Response {
    return new Response(null, {
      headers: { ...this.headers, "Content-Length": String(this.body.length) },
    });
  }

  /** What it takes at most, in bytes. */
  get size(): number {
    return RESPONSE_BYTES + this.body.length;
  }

  #make(): Response {
    return new Response(this.body, { headers: this.headers });
  }
}

/** What a kept response takes beside its body, with its headers (measured). */
const RESPONSE_BYTES = 2_300;

/** A built response: it can be sent many times. */
export interface Representation {
  readonly etag: string;
  /** All headers of an uncompressed 200 response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly plain: Kept;
  /** The 304 response (RFC 9110, section 15.4.5); made on first use, as those below are. */
  notModified?: Response;
  readonly encoded: Partial<Record<Coding, Kept>>;
}

/** CORS headers that let pages of other origins read a response (Fetch Standard, 3.3). */
export const CORS_HEADERS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag, Link, X-Cache, X-Search-Mode",
};

/** Browsers take a response for what its Content-Type says (Fetch Standard, `nosniff`). */
const FOR_READERS =
  /^(?:text\/html|application\/(?:rss|atom|feed)\+|text\/calendar|text\/markdown)/;

/** The language of what people read, where it is another than English and nothing says so yet. */
export function languageOf(contentType: string, headers?: Headers): Record<string, string> {
  const { tag } = language();
  const isSaid = tag === "en" || headers?.has("content-language");
  return !isSaid && FOR_READERS.test(contentType) ? { "Content-Language": tag } : {};
}

export const NO_SNIFFING = { "X-Content-Type-Options": "nosniff" };

/** The headers of a 304 response; a client keeps the others (RFC 9110, section 15.4.5). */
const REPEATED_HEADERS = [
  "Cache-Control",
  "ETag",
  "Last-Modified",
  "Vary",
  "Access-Control-Allow-Origin",
  ...Object.keys(NO_SNIFFING),
];

/**
 * Proxies read response headers into a buffer of a few KB (nginx: proxy_buffer_size), and fail if
 * they are longer. The links are in the body as well.
 */
const MAX_LINK_LENGTH = 2_048;

/**
 * What a CDN knows all responses of a site by that change with its data: Cloudflare and bunny.net by
 * `Cache-Tag`, Fastly by `Surrogate-Key`.
 */
export function cacheTagOf({ BASE_URL }: { BASE_URL: string }): string {
  return `roadcast-${BASE_URL.replace(/^https?:\/\//, "")}`.replace(/[^A-Za-z0-9.]+/g, "-");
}

/** Content with all headers, and an entity tag that depends only on its bytes. */
export function represent(
  content: Content,
  { cacheControl, cacheTag }: { cacheControl: string; cacheTag?: string | undefined },
  now: Date,
): Representation {
  const { lastModified, shortLived } = content;
  const body = toKept(content.body);
  const audience = shortLived?.isPrivate ? "private" : "public";
  return restore(body, {
    "Content-Type": content.contentType,
    "Cache-Control": shortLived ? `${audience}, max-age=${shortLived.seconds}` : cacheControl,
    ...languageOf(content.contentType),
    "ETag": `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`,
    "Last-Modified": (lastModified ? new Date(`${lastModified}T00:00:00Z`) : now).toUTCString(),
    "Vary": "Accept-Encoding",
    ...cacheTag !== undefined && audience === "public" &&
      { "Cache-Tag": cacheTag, "Surrogate-Key": cacheTag },
    ...CORS_HEADERS,
    ...withoutLongLink(content.headers),
  });
}

/** Letters beyond ASCII would double a text in the heap, and be encoded anew for each use. */
function toKept(body: Content["body"]): Content["body"] {
  const isKept = typeof body !== "string" || Buffer.byteLength(body) === body.length;
  return isKept ? body : new TextEncoder().encode(body);
}

function withoutLongLink(headers: Content["headers"] = {}): Content["headers"] {
  const { Link, ...others } = headers;
  return Link !== undefined && Link.length > MAX_LINK_LENGTH ? others : headers;
}

/** Answers one request with content that must not be cached. */
export function answerWithoutCache({ contentType, body, headers, status }: Content): Response {
  return new Response(body, {
    status,
    headers: {
      "Content-Type": contentType,
      "Cache-Control": "no-store",
      ...CORS_HEADERS,
      ...withoutLongLink(headers),
    },
  });
}

/** A representation of a body that was built before, with all headers. */
export function restore(
  body: Content["body"],
  headersBefore: Readonly<Record<string, string>>,
): Representation {
  const headers: Record<string, string> = { ...headersBefore, ...NO_SNIFFING };
  return { etag: headers.ETag!, headers, plain: new Kept(body, headers), encoded: {} };
}

/** A representation that may be served now; `stale`: newer data could exist. */
export interface Served {
  readonly representation: Representation;
  readonly stale: boolean;
  /** It will be replaced in a moment: nobody keeps it. */
  readonly passes?: boolean;
}

/** The memory of a representation, compressed forms included, in bytes. */
export function sizeOf({ plain, encoded, headers }: Representation): number {
  const overhead = 1_500 + JSON.stringify(headers).length * 2;
  return overhead + plain.size + (encoded.br?.size ?? 0) + (encoded.gzip?.size ?? 0);
}

/** Smaller bodies do not gain from compression. */
const MIN_BYTES = 256;

/** The coding for this client; null: uncompressed. */
export function codingFor(request: Request, { plain, headers }: Representation): Coding | null {
  const gains = plain.body.length >= MIN_BYTES && headers["Content-Type"] !== "image/png";
  return gains ? chooseCoding(request.headers.get("accept-encoding")) : null;
}

/** Compresses a representation, once. */
export async function encode(representation: Representation, coding: Coding): Promise<void> {
  const { headers, encoded, plain: { body } } = representation;
  const isForEver = headers["Cache-Control"]?.includes("immutable");
  const compressed = coding === "br"
    ? await brotli(body, { params: isForEver ? BROTLI_BEST : BROTLI_FAST })
    : await promisify(gzip)(body);
  encoded[coding] ??= new Kept(new Uint8Array(compressed), {
    ...headers,
    "Content-Encoding": coding,
  });
}

const brotli = promisify(brotliCompress);
/** A window of 256 KB holds nearly every page; a larger one costs a third more time (measured). */
const BROTLI_FAST = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 };
/** Takes some 20 times as long, for a tenth fewer bytes: only for what never changes. */
const BROTLI_BEST = { [constants.BROTLI_PARAM_QUALITY]: 11 };

const STALE = "STALE";

/** Answers 304 if the client already has the representation; null: it needs the bytes. */
export function answerNotModified(request: Request, served: Served): Response | null {
  const { representation } = served;
  if (!matchesEtag(request.headers.get("if-none-match"), representation.etag)) return null;
  representation.notModified ??= makeNotModified(representation);
  return markStale(representation.notModified.clone(), served);
}

function makeNotModified({ headers }: Representation): Response {
  const repeated = Object.entries(headers).filter(([name]) => REPEATED_HEADERS.includes(name));
  return new Response(null, { status: 304, headers: repeated });
}

/** Answers a GET with the representation in this coding, a HEAD with its headers only. */
export function answerWhole(request: Request, served: Served, coding: Coding | null): Response {
  const { plain, encoded } = served.representation;
  const kept = coding ? encoded[coding]! : plain;
  return markStale(request.method === "HEAD" ? kept.answerHead() : kept.answer(), served);
}

function markStale(response: Response, { stale, passes }: Served): Response {
  if (stale) response.headers.set("X-Cache", STALE);
  if (passes) response.headers.set("Cache-Control", "no-cache");
  return response;
}

/** A JSON response that is not cached. */
export function answerUncached(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { "Cache-Control": "no-store" } });
}
