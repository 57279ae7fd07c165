import type { IncomingMessage } from "node:http";
import { Webhook } from "standardwebhooks";
import { untilAborted } from "../../work/async.ts";
import {
  AddressRefused,
  findCheckedAddresses,
  type Resolve,
} from "../../http/outgoing/checked_addresses.ts";
import { requestChecked } from "../../http/outgoing/checked_fetch.ts";
import { explainConnection } from "../../http/outgoing/connection_reason.ts";
import { describeNoProxy } from "../../http/outgoing/proxy.ts";
import { addNtfyTopic } from "./chat_formats.ts";
import type { Answer, WebhookKind, WebhookTarget } from "./webhook.ts";
import { capitalise, shorten, toLine } from "../../text/phrases.ts";
import { decode, secretParameters, withoutSecrets } from "../../text/secrets.ts";
import { ByteCollector } from "../../work/byte_streams.ts";

/** An answer is read no further. */
const MAX_BYTES = 4 * 1024;

interface Message {
  body: string;
  headers: Record<string, string>;
}

/** How messages are posted. */
export interface PostOptions {
  kind: WebhookKind;
  /** Of the message, the same in every attempt. */
  id: string;
  now: Date;
  allowsPrivate: boolean;
  resolve: Resolve;
  /** Ends the attempt, whatever it is waiting for. */
  signal: AbortSignal;
  /** How long the signal waits. */
  timeoutMs: number;
}

/** What became of an attempt. */
export type DeliveryOutcome =
  | { answer: Answer; url: URL }
  /** Why there is no answer, in one line. */
  | { failure: string };

/** Signs a body and posts it to a webhook. */
export async function postMessage(
  { url: address, ...secrets }: WebhookTarget,
  body: string,
  options: PostOptions,
): Promise<DeliveryOutcome> {
  const url = new URL(address);
  const headers = signBody(body, secrets, options);
  try {
    const sent = options.kind === "ntfy" ? addNtfyTopic(url, body) : { url, body };
    return { url, answer: await post(sent.url, { body: sent.body, headers }, options) };
  } catch (error) {
    const { signal, timeoutMs } = options;
    return { failure: describeError(signal.aborted ? signal.reason : error, url, timeoutMs) };
  }
}

/** The headers of Standard Webhooks 1.0: after a change of the secret two signatures, for a day. */
function signBody(
  body: string,
  { secret, former }: Omit<WebhookTarget, "url">,
  { id, now }: Pick<PostOptions, "id" | "now">,
): Record<string, string> {
  if (secret === null) return {};
  const isFormer = former !== undefined && now.getTime() < Date.parse(former.until);
  const secrets = isFormer ? [secret, former.secret] : [secret];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(" "),
  };
}

/**
 * Posts a message to exactly the addresses that were checked; redirects are not followed.
 *
 * @throws {AddressRefused} if the receiver has no public address; any other error if it cannot be
 * reached, or the signal ends the attempt before it has answered
 */
async function post(
  url: URL,
  message: Message,
  { allowsPrivate, resolve, signal }: PostOptions,
): Promise<Answer> {
  const finding = findCheckedAddresses(url, { allowsPrivate, resolve });
  const addresses = await untilAborted(finding, signal);
  const response = await requestChecked(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Roadcast",
      ...message.headers,
    },
    body: message.body,
    signal,
    addresses,
  });
  const { statusCode = 0, statusMessage = "", headers } = response;
  return {
    status: statusCode,
    statusText: statusMessage,
    retryAfter: headers["retry-after"] ?? null,
    location: headers.location ?? null,
    text: await readBegin(response),
  };
}

/** What the answer says counts by its status: a body that breaks off, or has no end, is no failure. */
async function readBegin(response: IncomingMessage): Promise<string> {
  const begin = new ByteCollector();
  try {
    for await (const chunk of response) {
      begin.add(chunk);
      if (begin.length >= MAX_BYTES) break;
    }
  } catch {
    // the connection broke, or the time is up
  } finally {
    response.destroy();
  }
  return new TextDecoder().decode(begin.join().subarray(0, MAX_BYTES));
}

/** Characters of a reason. */
const MAX_LENGTH = 300;
/** A shorter piece of an address is no secret. */
const SHORTEST_SECRET = 5;

/** What a receiver answered, in a few words without its own. */
export function describeStatus({ status, statusText, location }: Answer, url: URL): string {
  const said = toLine(hideSecrets(statusText, url)).slice(0, 60);
  const words = `It answered ${status} ${said}`.trimEnd();
  if (status < 300 || status >= 400) return words;
  const origin = URL.parse(location ?? "", url)?.origin ?? "null";
  const target = location === null || origin === "null" ? "" : ` (it leads to ${origin})`;
  const advice = status === 301 || status === 308 ? ", change the address" : "";
  return `${words}: redirects are not followed${target}${advice}`;
}

/** The address of a chat is what lets a message in: these say that it does not, or is gone. */
const UNKNOWN_ADDRESS: ReadonlySet<number> = new Set([401, 403, 404, 410]);

/**
 * Why a receiver did not accept a message, in one line; what it says may repeat the address,
 * and that is a secret.
 */
export function describeRefusal(kind: WebhookKind, answer: Answer, url: URL): string {
  const text = shorten(toLine(hideSecrets(answer.text, url)), MAX_LENGTH);
  const status = describeStatus(answer, url);
  const said = text === "" ? status : `${status}: ${text}`;
  return kind !== "standard" && UNKNOWN_ADDRESS.has(answer.status)
    ? `${said}. If the chat or its webhook was removed, change the address`
    : said;
}

/** Why a receiver could not be reached, in one line. */
function describeError(error: unknown, url: URL, timeoutMs: number): string {
  const { name, message } = error as Error;
  if (name === "TimeoutError") return `It did not answer within ${timeoutMs / 1000} s`;
  if (name === "AbortError") return "The server stopped before it responded";
  if (error instanceof AddressRefused) return describeRefusedAddress(error);
  const reason = explainConnection(error, url.host);
  if (reason !== null) return capitalise(reason) + describeNoProxy(url);
  return shorten(toLine(hideSecrets(message || String(error), url)), MAX_LENGTH);
}

/** Why an address is refused, and what allows it. */
export function describeRefusedAddress({ message }: AddressRefused): string {
  return `${message}: WEBHOOK_ALLOW_PRIVATE=true allows it`;
}

/** Takes what stands behind the host of an address out of a text, as a whole and in pieces. */
function hideSecrets(text: string, { pathname, search, searchParams }: URL): string {
  const pieces = [
    pathname + search,
    pathname,
    ...pathname.split("/"),
    search,
    ...secretParameters(searchParams),
  ];
  const secrets = pieces.flatMap((piece) => [piece, decode(piece)])
    .filter((piece) => piece.length >= SHORTEST_SECRET);
  return withoutSecrets(text, secrets);
}
