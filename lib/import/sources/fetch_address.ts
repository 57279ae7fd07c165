import { delay } from "../../delay.ts";
import { firstLineOf } from "../../first_line.ts";
import type { Delivery } from "./location.ts";
import { SnapshotError } from "./snapshot_item.ts";

/** A source that says nothing for so long is given up. */
const SILENCE_MS = 10_000;
/** So long, at most, one answer may take. */
const WHOLE_MS = 15 * 60_000;
/** Before another attempt, after a failure that may pass. */
const PAUSES_MS: readonly number[] = [500, 2_000];
/** A server that asks for a longer pause (Retry-After) is asked another time. */
const LONGEST_PAUSE_MS = 30_000;

/** What a server gave to ask with whether something has changed (RFC 9110, section 8.8). */
export interface Validators {
  etag: string | null;
  lastModified: string | null;
}

/** How an address is fetched. */
export interface FetchOptions {
  /** How long the source may be silent, in milliseconds. */
  silenceMs?: number;
  /** The pauses between attempts, in milliseconds. */
  pausesMs?: readonly number[];
  /** From an earlier answer: nothing is delivered where it still holds. */
  validators?: Validators | null;
  /** Ends the reading. */
  signal?: AbortSignal;
}

/** A failure that may pass, and what the server said of when. */
class Passing extends Error {
  constructor(message: string, readonly retryAfterMs: number | null = null) {
    super(message);
  }
}

/**
 * Opens an http(s) address, after some attempts where the failure may pass (no connection, 429,
 * 5xx); null where it answers 304.
 *
 * @throws {SnapshotError} that names the address as shown and says why it cannot be read
 */
export async function openAddress(
  address: string,
  options: FetchOptions & { shown: string },
): Promise<Delivery | null> {
  const pauses = [...options.pausesMs ?? PAUSES_MS];
  while (true) {
    try {
      return await attempt(address, options);
    } catch (error) {
      const pause = error instanceof Passing ? pauses.shift() : undefined;
      const asked = error instanceof Passing ? error.retryAfterMs ?? 0 : 0;
      if (pause === undefined || asked > LONGEST_PAUSE_MS) {
        throw new SnapshotError(`Cannot read ${options.shown}: ${firstLineOf(error)}`);
      }
      await delay(Math.max(pause, asked), options.signal);
    }
  }
}

async function attempt(
  address: string,
  { silenceMs = SILENCE_MS, validators, signal, shown }: FetchOptions & { shown: string },
): Promise<Delivery | null> {
  const silence = new Silence(silenceMs, signal);
  try {
    const { href, headers } = splitCredentials(address);
    headers.set("accept", "application/json, application/x-ndjson, text/csv;q=0.9, */*;q=0.1");
    if (validators?.etag) headers.set("if-none-match", validators.etag);
    if (validators?.lastModified) headers.set("if-modified-since", validators.lastModified);
    const response = await fetch(href, { headers, signal: silence.signal }).catch((error) => {
      throw error instanceof TypeError ? new Passing(error.message) : error;
    });
    if (response.ok) return deliver(response, silence, shown);
    await response.body?.cancel();
    silence.end();
    if (response.status === 304 && validators) return null;
    const message = `the server answered ${response.status} ${response.statusText}`.trimEnd();
    const mayPass = response.status === 429 || response.status >= 500;
    throw mayPass ? new Passing(message, retryAfter(response)) : new Error(message);
  } catch (error) {
    silence.end();
    throw error;
  }
}

function deliver(response: Response, silence: Silence, shown: string): Delivery {
  const { headers } = response;
  const etag = headers.get("etag");
  const lastModified = headers.get("last-modified");
  return {
    address: response.url,
    chunks: readBody(response, silence, shown),
    length: Number(headers.get("content-length")) || null,
    contentType: headers.get("content-type")?.replace(/;.*/, "").trim().toLowerCase() ?? null,
    validators: etag || lastModified ? { etag, lastModified } : null,
  };
}

async function* readBody(
  response: Response,
  silence: Silence,
  shown: string,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) {
      silence.pause(); // the time that we take is none of the source's
      yield chunk;
      silence.broken();
    }
  } catch (error) {
    throw new SnapshotError(`Cannot read ${shown}: ${firstLineOf(error)}`);
  } finally {
    silence.end();
  }
}

/** `fetch` refuses an address with a name and a password; they travel as a header (RFC 7617). */
function splitCredentials(address: string): { href: string; headers: Headers } {
  const url = new URL(address);
  const headers = new Headers();
  if (url.username || url.password) {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set("authorization", `Basic ${new TextEncoder().encode(pair).toBase64()}`);
    url.username = url.password = "";
  }
  return { href: url.href, headers };
}

/** RFC 9110, section 10.2.3: seconds, or a moment. */
function retryAfter({ headers }: Response): number | null {
  const value = headers.get("retry-after");
  if (value === null) return null;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}

/** Aborts when nothing was heard for the given time, or the whole took too long. */
class Silence {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #whole: ReturnType<typeof setTimeout>;

  constructor(private readonly milliseconds: number, outer?: AbortSignal) {
    this.signal = outer
      ? AbortSignal.any([this.#controller.signal, outer])
      : this.#controller.signal;
    this.#whole = setTimeout(
      () => this.#controller.abort(new Error(`it took longer than ${WHOLE_MS / 60_000} minutes`)),
      WHOLE_MS,
    );
    this.broken();
  }

  broken(): void {
    this.pause();
    const reason = new Error(`it was silent for ${this.milliseconds / 1000} s`);
    this.#timer = setTimeout(() => this.#controller.abort(reason), this.milliseconds);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.pause();
    clearTimeout(this.#whole);
  }
}
