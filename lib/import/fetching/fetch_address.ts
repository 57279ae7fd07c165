import { setTimeout as delay } from "node:timers/promises";
import { firstLineOf } from "../../expected_error.ts";
import { type Resolve, resolveByMachine } from "../../http/outgoing/checked_addresses.ts";
import { explainConnection, rawReasonOf } from "../../http/outgoing/connection_reason.ts";
import { describeNoProxy } from "../../http/outgoing/proxy.ts";
import { parseRetryAfter } from "../../text/retry_after.ts";
import { VERSION } from "../../version.ts";
import { piecesOf } from "../../work/byte_streams.ts";
import { basicAuthorization, secretsIn, splitLogin, withoutSecrets } from "../../text/secrets.ts";
import { SnapshotError } from "../snapshot_error.ts";
import { fetchFollowing, type FollowOptions } from "./fetch_following.ts";
import { readServerMessage } from "./server_message.ts";
import type { Timeout, TimeoutOptions } from "./timeout.ts";

const PAUSES_MS: readonly number[] = [500, 2_000];
/** If a server asks for a longer delay (Retry-After), the attempt is given up. */
const MAX_DELAY_MS = 30_000;

/** Some servers answer 403 where they do not know the User-Agent. */
const UNKNOWN_AGENT = "; if it refuses an unknown User-Agent, SOURCE_USER_AGENT sets another";

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

/** How an address is fetched. */
export interface FetchOptions extends TimeoutOptions {
  pausesMs?: readonly number[];
  headers?: Readonly<Record<string, string>>;
  /** What no message may repeat, besides secrets in the address and the headers. */
  secrets?: readonly string[];
  /** The settings of the source's own user and token, for messages. */
  credentials?: string;
  /** Absent: Roadcast, with its version. */
  userAgent?: string;
  /** Sends a body; absent: a GET. */
  request?: { method: "POST"; body: string; contentType: string } | null;
  /** From an earlier response: nothing is delivered if it is still valid. */
  validators?: Validators | null;
  /** Whether its address may be one that is not public; absent: yes, as the operator named it. */
  allowsPrivate?: boolean;
  /** Finds the addresses of hosts; absent: as this machine does. */
  resolve?: Resolve;
  fetchChecked?: FollowOptions["fetchChecked"];
  /** The same for all pages of a source. */
  publicHosts?: Set<string>;
}

/** An address that cannot be fetched, and whether it may be later. */
export class FetchError extends SnapshotError {
  constructor(
    message: string,
    /** It would not be refused again, as far as one can say. */
    readonly mayPass: boolean,
    /** What the server answered; null: nothing. */
    readonly status: number | null = null,
    /** The server asks for no further request for this long; 0: it asks for nothing. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }

  override get inPublic(): string {
    if (!this.mayPass) return `the source refused the request: ${this.status}`;
    if (this.retryAfterMs > 0) return "the source asks for a pause";
    return this.status === null
      ? "the source cannot be reached"
      : `the source answered ${this.status}`;
  }
}

/** What one address is fetched with; `shown` is how messages name it. */
type AddressOptions = FetchOptions & { shown: string; timeout: Timeout };

/**
 * Opens an http(s) URL, and retries transient failures (no connection, 429, 5xx); null if it
 * answers 304.
 *
 * @throws {SnapshotError} that names the address as shown and says why it cannot be read
 */
export async function openAddress(
  address: string,
  options: AddressOptions,
): Promise<Delivery | null> {
  const pauses = [...options.pausesMs ?? PAUSES_MS];
  while (true) {
    try {
      return await attempt(address, options);
    } catch (error) {
      if (!(error instanceof FetchError)) {
        throw new SnapshotError(`Cannot read ${options.shown}: ${firstLineOf(error)}`);
      }
      const { mayPass, retryAfterMs } = error;
      const pause = mayPass ? pauses.shift() : undefined;
      if (pause === undefined || retryAfterMs > MAX_DELAY_MS) throw error;
      const { timeout } = options;
      const { signal } = timeout;
      await timeout.waitThrough(
        // Its own error does not say why.
        delay(Math.max(pause, retryAfterMs), undefined, { signal }).catch(() =>
          signal.throwIfAborted()
        ),
      );
    }
  }
}

async function attempt(address: string, options: AddressOptions): Promise<Delivery | null> {
  const refuse = (reason: string, mayPass: boolean, status?: number, retryAfterMs?: number) =>
    new FetchError(
      `Cannot read ${options.shown}: ${reason.split("\n", 1)}`,
      mayPass,
      status,
      retryAfterMs,
    );
  const { validators, timeout, headers: more = {}, resolve = resolveByMachine } = options;
  const { request, fetchChecked, publicHosts = new Set(), allowsPrivate = true } = options;
  // `fetch` refuses a URL with a name and password.
  const { address: href, login } = splitLogin(address);
  const headers = new Headers(login === null ? {} : { authorization: basicAuthorization(login) });
  const { userAgent = `Roadcast/${VERSION}` } = options;
  headers.set("user-agent", userAgent);
  headers.set("accept", "application/json, application/x-ndjson, text/csv;q=0.9, */*;q=0.1");
  if (request) headers.set("content-type", request.contentType);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  if (validators?.etag) headers.set("if-none-match", validators.etag);
  if (validators?.lastModified) headers.set("if-modified-since", validators.lastModified);
  const { signal } = timeout;
  const how = { request, headers, userAgent, signal, resolve, fetchChecked, publicHosts };
  const answer = fetchFollowing(href, { ...how, allowsPrivate }).catch((error) => {
    if (!isConnectionFailure(error)) throw error;
    const url = new URL(href);
    const reason = explainConnection(error, url.host) ?? rawReasonOf(error);
    throw refuse(allowsPrivate ? reason : reason + describeNoProxy(url), true);
  });
  const response = await timeout.waitFor(answer);
  if (response.ok) return deliver(response, options);
  const secrets = [...secretsIn(address, more), ...options.secrets ?? []];
  const said = await readServerMessage(response, { secrets, timeout });
  if (response.status === 304 && validators) return null;
  const { status } = response;
  const statusText = withoutSecrets(response.statusText, secrets);
  const message = `the server responded ${status} ${statusText}`.trimEnd();
  const pause = readRetryAfter(response);
  const mayPass = status === 429 || status >= 500 || pause !== null;
  if (!mayPass) throw refuse(message + said + hintAt(status, options), mayPass, status);
  const until = pause !== null && pause > MAX_DELAY_MS
    ? `, and asks for a pause until ${showTime(Date.now() + pause)}`
    : "";
  throw refuse(message + until + said, mayPass, status, pause ?? 0);
}

/** Which settings help where a request is refused. */
function hintAt(status: number, { credentials }: AddressOptions): string {
  if (credentials) return [401, 403, 404].includes(status) ? `; check ${credentials}` : "";
  return status === 403 ? UNKNOWN_AGENT : "";
}

/**
 * How long a server asks clients to wait, in milliseconds: by Retry-After, or because its rate
 * limit is used up, as GitHub says it ("Rate limits for the REST API").
 */
function readRetryAfter({ status, headers }: Response): number | null {
  if (status !== 403 && status !== 429 && status < 500) return null;
  const reset = headers.get("x-ratelimit-remaining") === "0"
    ? Number(headers.get("x-ratelimit-reset") ?? NaN) * 1000 - Date.now()
    : NaN;
  const requestedMs = parseRetryAfter(headers.get("retry-after"), new Date());
  return requestedMs ?? (Number.isNaN(reset) ? null : Math.max(0, reset));
}

function showTime(milliseconds: number): string {
  return new Date(Math.min(milliseconds, 8.64e15)).toISOString().replace(/\.\d+/, "");
}

function deliver(response: Response, { shown, timeout, request }: AddressOptions): Delivery {
  const { headers } = response;
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  const [mediaType, ...parameters] = (headers.get("content-type") ?? "").split(";");
  return {
    address: response.url,
    headers,
    chunks: readBody(response, shown, timeout),
    length: Number(headers.get("content-length")) || null,
    contentType: mediaType!.trim().toLowerCase() || null,
    charset: charsetOf(parameters),
    next: nextLink(headers.get("link")),
    validators: !request && (etag || lastModified) ? { etag, lastModified } : null,
  };
}

/** RFC 9110, section 8.3.2: `charset=utf-8`, in any case and with or without quotes. */
function charsetOf(parameters: readonly string[]): string | null {
  const values = parameters.map((text) => text.split("="))
    .filter(([name]) => name!.trim().toLowerCase() === "charset");
  return values[0]?.[1]?.replaceAll('"', "").trim() ?? null;
}

async function* readBody(
  response: Response,
  shown: string,
  timeout: Timeout,
): AsyncGenerator<Uint8Array> {
  const body = piecesOf(response.body);
  try {
    while (true) {
      const { value, done } = await timeout.waitFor(body.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw new SnapshotError(`Cannot read ${shown}: ${firstLineOf(error)}`);
  } finally {
    await body.return(undefined);
  }
}

/** `fetch` throws a TypeError, and a request to a checked address what the socket or TLS did. */
function isConnectionFailure(error: unknown): error is Error {
  return error instanceof TypeError ||
    error instanceof Error && "code" in error && typeof error.code === "string";
}

/** RFC 8288, section 3: `<https://example.com/items?page=2>; rel="next"`, among others. */
function nextLink(header: string | null): string | null {
  const links = header?.matchAll(/<([^<>]*)>([^<]*)/g) ?? [];
  for (const [, address, parameters] of links) {
    if (/;\s*rel="?([^";]*\s)?next[\s";,]?/i.test(parameters! + ";")) return address!;
  }
  return null;
}
