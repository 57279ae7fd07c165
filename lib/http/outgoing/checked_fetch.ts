import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";
import type { ResolvedAddress } from "./checked_addresses.ts";

/** This many responses 1xx (RFC 9110, section 15.2) before the answer are too many. */
const MAX_INFORMATIONAL = 5;

/** What is sent, and the addresses of the host that it may be sent to. */
interface CheckedRequest {
  readonly method?: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly addresses: readonly ResolvedAddress[];
}

/** Sends a request to exactly the addresses that were checked; redirects are not followed. */
export function requestChecked(
  url: URL,
  { method = "GET", headers, body, signal, addresses }: CheckedRequest,
): Promise<IncomingMessage> {
  // A name stays the Host, and what a certificate must be for.
  const lookup: LookupFunction = (_name, { all }, done) => {
    if (all) done(null, [...addresses]);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const length = body === undefined
    ? {}
    : { "content-length": String(new TextEncoder().encode(body).length) };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      headers: { ...headers, ...length },
      agent: false, // a connection of its own, by this lookup
      lookup,
      signal,
    }, resolve);
    let informational = 0;
    sent.on("information", () => {
      if (++informational < MAX_INFORMATIONAL) return;
      const reason = `It sent ${MAX_INFORMATIONAL} informational responses and no final response`;
      sent.destroy(new Error(reason));
    });
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : error)).end(body);
  });
}

/** Sends a request as `requestChecked`, and gives the answer as `fetch` would, unpacked. */
export async function fetchChecked(url: URL, request: CheckedRequest): Promise<Response> {
  const headers = { ...request.headers, "accept-encoding": "gzip" };
  const message = await requestChecked(url, { ...request, headers });
  const { statusCode: status = 0, statusMessage: statusText } = message;
  const received = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) received.append(name, value);
  }
  const hasBody = ![101, 204, 205, 304].includes(status);
  if (!hasBody) message.destroy();
  const response = new Response(hasBody ? bodyOf(message, received) : null, {
    status,
    statusText,
    headers: received,
  });
  return Object.defineProperty(response, "url", { value: url.href });
}

function bodyOf(message: IncomingMessage, headers: Headers): ReadableStream<Uint8Array> {
  const body = Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>;
  if (headers.get("content-encoding")?.toLowerCase() !== "gzip") return body;
  headers.delete("content-encoding");
  headers.delete("content-length"); // of what is packed
  return body.pipeThrough(new DecompressionStream("gzip"));
}
