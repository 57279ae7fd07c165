import type { Database } from "../../database/database.ts";
import type { Resolve } from "../../http/outgoing/checked_addresses.ts";
import { isAccepted } from "./chat_rules.ts";
import { describeRefusal } from "./failure_reason.ts";
import { formatTest, type MessageContext } from "./format_message.ts";
import { postMessage } from "./post_message.ts";
import { openTarget } from "./sealed_target.ts";
import { TIMEOUT_MS } from "./webhook_sender.ts";
import { findTarget } from "./webhooks_sql.ts";

/** What came of a test. */
interface TestOutcome {
  isSuccess: boolean;
  /** In one line, without what is secret of the address. */
  text: string;
}

/**
 * Sends a webhook a test message; null if none has this name.
 */
export async function testWebhook(
  database: Database,
  name: string,
  { context, tokenSecret, allowsPrivate, resolve, now }: {
    context: MessageContext;
    tokenSecret: string;
    allowsPrivate: boolean;
    resolve: Resolve;
    now: Date;
  },
): Promise<TestOutcome | null> {
  const webhook = await findTarget(database, name);
  if (webhook === null) return null;
  const target = openTarget(webhook.target, webhook.webhook_id, tokenSecret);
  const outcome = await postMessage(target, formatTest(webhook.kind, context, now), {
    kind: webhook.kind,
    id: crypto.randomUUID(),
    now,
    allowsPrivate,
    resolve,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    timeoutMs: TIMEOUT_MS,
  });
  if ("failure" in outcome) return { isSuccess: false, text: outcome.failure };
  const { answer, url } = outcome;
  const isSuccess = isAccepted(webhook.kind, answer);
  return { isSuccess, text: describeRefusal(answer, url) };
}
