import type { Database } from "../../database/database.ts";
import type { Resolve } from "./checked_addresses.ts";
import { describeError, describeRefusal } from "./failure_reason.ts";
import { formatTest, signMessage, type Teller } from "./format_message.ts";
import { postMessage } from "./post_message.ts";
import { openTarget } from "./sealed_target.ts";
import { PATIENCE_MS } from "./webhook_sender.ts";
import { findTarget } from "./webhooks_sql.ts";

/** What came of a test. */
export interface TestOutcome {
  isSuccess: boolean;
  /** In one line, without what is secret of the address. */
  text: string;
}

/**
 * Sends a webhook a message that tells nothing but that it arrives; null: there is none of this
 * name.
 */
export async function testWebhook(
  database: Database,
  name: string,
  { teller, tokenSecret, allowsPrivate, resolve, now }: {
    teller: Teller;
    tokenSecret: string;
    allowsPrivate: boolean;
    resolve: Resolve;
    now: Date;
  },
): Promise<TestOutcome | null> {
  const webhook = await findTarget(database, name);
  if (webhook === null) return null;
  const { url: address, secret } = openTarget(webhook.target, webhook.webhook_id, tokenSecret);
  const url = new URL(address);
  const body = formatTest(webhook.kind, teller, now);
  const message = signMessage(body, { id: crypto.randomUUID(), secret, now });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const answer = await postMessage(url, message, { allowsPrivate, resolve, signal });
    const isSuccess = answer.status >= 200 && answer.status < 300;
    return { isSuccess, text: describeRefusal(answer, url) };
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    return { isSuccess: false, text: describeError(reason, url, PATIENCE_MS) };
  }
}
