import type { IncomingMessage } from "node:http";
import { Webhook } from "standardwebhooks";
import { untilAborted } from "../../work/async.ts";
import { findCheckedAddresses, type Resolve } from "../../http/outgoing/checked_addresses.ts";
import { requestChecked } from "../../http/outgoing/checked_fetch.ts";
import { describeError } from "./failure_reason.ts";
import { addNtfyTopic } from "./chat_formats.ts";
import type { Answer, WebhookKind, WebhookTarget } from "./webhook.ts";

/** An answer is read no further. */
const MAX_BYTES = 4 * 1024;

interface Message {
  body: string;
  headers: Record<string, string>;
}

/** How messages are posted. */
interface PostOptions {
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
export type Outcome =
  | { answer: Answer; url: URL }
  /** Why there is no answer, in one line. */
  | { failure: string };

/** Signs a body and posts it to a webhook. */
export async function postMessage(
  { url: address, secret }: WebhookTarget,
  body: string,
  options: PostOptions,
): Promise<Outcome> {
  const url = new URL(address);
  const headers = secret === null ? {} : signBody(body, secret, options);
  try {
    const sent = options.kind === "ntfy" ? addNtfyTopic(url, body) : { url, body };
    return { url, answer: await post(sent.url, { body: sent.body, headers }, options) };
  } catch (error) {
    const { signal, timeoutMs } = options;
    return { failure: describeError(signal.aborted ? signal.reason : error, url, timeoutMs) };
  }
}

/** The headers of Standard Webhooks 1.0. */
function signBody(body: string, secret: string, { id, now }: Pick<PostOptions, "id" | "now">) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, now, body),
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
    text: await readBegin(response),
  };
}

/** What the answer says counts by its status: a body that breaks off, or has no end, is no failure. */
async function readBegin(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_BYTES) break;
    }
  } catch {
    // the connection broke, or the time is up
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString();
}
