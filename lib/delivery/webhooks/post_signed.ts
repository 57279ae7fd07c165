import { describeError } from "./failure_reason.ts";
import { signMessage } from "./format_message.ts";
import { type Answer, postMessage, type PostOptions } from "./post_message.ts";
import type { WebhookTarget } from "./webhook.ts";

/** What became of an attempt. */
export type Outcome =
  | { answer: Answer; url: URL }
  /** Why there is no answer, in one line. */
  | { failure: string };

/** Signs a body and posts it to a webhook. */
export async function postSigned(
  { url: address, secret }: WebhookTarget,
  body: string,
  { id, now, patienceMs, ...options }: PostOptions & {
    /** Of the message. */
    id: string;
    now: Date;
    /** How long the signal waits. */
    patienceMs: number;
  },
): Promise<Outcome> {
  const url = new URL(address);
  const message = signMessage(body, { id, secret, now });
  try {
    return { url, answer: await postMessage(url, message, options) };
  } catch (error) {
    const { signal } = options;
    const reason = signal.aborted ? signal.reason : error;
    return { failure: describeError(reason, url, patienceMs) };
  }
}
