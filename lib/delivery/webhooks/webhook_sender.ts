import { getLogger } from "@logtape/logtape";
import type { Database } from "../../database/database.ts";
import { ExpectedError } from "../../expected_error.ts";
import type { Site } from "../../roadmap/sites.ts";
import type { VariantName } from "../../roadmap/variant.ts";
import { delayAfter, drainQueue, type JobsDone, NOTHING_DONE } from "../outbox/drain_queue.ts";
import { shortenWaits } from "../outbox/messages_sql.ts";
import type { Resolve } from "../../http/outgoing/checked_addresses.ts";
import { parseRetryAfter } from "../../text/retry_after.ts";
import * as deliveries from "./deliveries_sql.ts";
import { findNewAddress, findRetryAfter, isAccepted } from "./chat_formats.ts";
import {
  type DeliveryOutcome,
  describeRefusal,
  describeStatus,
  postMessage,
  type PostOptions,
} from "./post_message.ts";
import { formatBody, formatTest, type MessageContext } from "./format_message.ts";
import { openTarget, sealTarget } from "./sealed_target.ts";
import type { WebhookTarget } from "./webhook.ts";
import { findTarget, storeTarget } from "./webhooks_sql.ts";

/** A receiver has so long for everything, its answer included. */
export const TIMEOUT_MS = 10_000;
/** The same for a test, whose outcome a page shows within the 10 s of a request. */
const TEST_TIMEOUT_MS = 8_000;
/** The maximum number of concurrent deliveries. */
const AT_ONCE = 50;
/** While deliveries are on their way, new ones are looked for this often. */
const PAUSE_MS = 1_000;
const MINUTE = 60_000;
/** A longer delay that a receiver requests is shortened to this one. */
const MAX_DELAY_MS = 24 * 60 * MINUTE;

const log = getLogger(["roadcast", "webhooks"]);

/** What the sender of a process works with. */
interface SenderParts {
  readonly database: Database;
  readonly clock: () => Date;
  readonly tokenSecret: string;
  readonly siteName: string;
  readonly siteFor: (variant: VariantName) => Site;
  /** Receivers may have addresses that are not public. */
  readonly allowsPrivate: boolean;
  readonly resolve: Resolve;
  /** Absent: `TIMEOUT_MS`. */
  readonly timeoutMs?: number;
}

/** Sends webhooks what waits for them in the database, beside the senders of other processes. */
export class WebhookSender {
  readonly #stopping = new AbortController();
  readonly #timeoutMs: number;

  constructor(private readonly parts: SenderParts) {
    this.#timeoutMs = parts.timeoutMs ?? TIMEOUT_MS;
  }

  /** Sends everything that is due, until the signal; returns the attempts. */
  async sendDue(ending?: AbortSignal): Promise<JobsDone> {
    const { database, clock } = this.parts;
    const leaseSeconds = (this.#timeoutMs + MINUTE) / 1000;
    const waits = { now: clock(), leaseSeconds, delays: [MAX_DELAY_MS / 1000] };
    if (!await shortenWaits(database, "webhooks", waits)) return NOTHING_DONE;
    return await drainQueue({
      atOnce: AT_ONCE,
      pauseMs: PAUSE_MS,
      claim: () => deliveries.claimDelivery(database, { now: clock(), leaseSeconds }),
      do: (delivery) => this.#send(delivery),
    }, ending);
  }

  /** Gives back what is on its way. */
  abort(): void {
    this.#stopping.abort();
  }

  async #send(delivery: deliveries.ClaimedDelivery): Promise<boolean> {
    const outcome = await this.#attempt(delivery);
    const { database, clock } = this.parts;
    if ("failure" in outcome) {
      const { failure } = outcome;
      await this.#noteFailure(delivery, { reason: failure, logged: failure, isAnswered: false });
      return false;
    }
    const { answer, url } = outcome;
    await deliveries.noteAnswer(database, delivery, clock());
    if (isAccepted(delivery.kind, answer)) {
      await deliveries.finishDelivery(database, delivery, clock());
      log.info("Delivery {id} went to the webhook {name}", nameDelivery(delivery));
      return true;
    }
    await this.#noteFailure(delivery, {
      reason: describeRefusal(delivery.kind, answer, url),
      logged: describeStatus(answer, url),
      isGone: answer.status === 410,
      requestedMs: Math.min(
        parseRetryAfter(findRetryAfter(delivery.kind, answer), clock()) ?? 0,
        MAX_DELAY_MS,
      ),
    });
    return false;
  }

  async #attempt(delivery: deliveries.ClaimedDelivery): Promise<DeliveryOutcome> {
    const { database, clock, tokenSecret, siteName, siteFor, allowsPrivate, resolve } = this.parts;
    const signal = AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), this.#stopping.signal]);
    let body: string;
    try {
      const payload = await deliveries.readPayload(database, delivery.payload_id);
      const site = siteFor(payload.variant);
      body = formatBody(delivery.kind, payload, { siteName, site });
    } catch (error) {
      const { stack } = error as Error;
      log.error("Delivery {id} cannot be written: {stack}", { id: delivery.mail_id, stack });
      return { failure: "Its message cannot be written: the log of the server says why" };
    }
    return await post(database, { ...delivery, tokenSecret }, body, {
      id: delivery.mail_id,
      now: clock(),
      allowsPrivate,
      resolve,
      signal,
      timeoutMs: this.#timeoutMs,
    });
  }

  /** The log says less than the list, because an answer may hold anything. */
  async #noteFailure(
    delivery: deliveries.ClaimedDelivery,
    { reason, logged, isAnswered = true, isGone = false, requestedMs = 0 }: {
      reason: string;
      logged: string;
      isAnswered?: boolean;
      isGone?: boolean;
      requestedMs?: number;
    },
  ): Promise<void> {
    const { database, clock } = this.parts;
    const now = clock();
    const noted = { ...nameDelivery(delivery), attempt: delivery.attempts, reason: logged };
    const isLast = now.getTime() >= delivery.give_up_at;
    const beginsAnew = isLast && !isAnswered &&
      await deliveries.mayBeOurNetwork(database, delivery, now);
    if (isGone || isLast && !beginsAnew) {
      const disabled = isGone ? logged : `A delivery failed for three days. ${logged}`;
      await deliveries.giveDeliveryUp(database, delivery, { reason, disabled, now });
      log.error("The webhook {name} is disabled after delivery {id}: {reason}", noted);
      return;
    }
    const wait = Math.max(delayAfter(delivery.attempts), requestedMs);
    // The last attempt is at the end of the three days.
    const latest = beginsAnew ? Infinity : delivery.give_up_at;
    const dueAt = new Date(Math.min(now.getTime() + wait, latest));
    await deliveries.postponeDelivery(database, delivery, { reason, dueAt, beginsAnew });
    log.warn(
      "Delivery {id} to the webhook {name} failed in attempt {attempt}, next attempt at {dueAt}: {reason}",
      { ...noted, dueAt: dueAt.toISOString() },
    );
  }
}

function nameDelivery({ mail_id: id, name }: deliveries.ClaimedDelivery) {
  return { id, name };
}

/** Posts a message to a webhook; to where its chat has moved, if it has, which is kept. */
async function post(
  database: Database,
  { webhook_id: id, name, kind, target: sealed, tokenSecret }:
    & Pick<deliveries.ClaimedDelivery, "webhook_id" | "name" | "kind" | "target">
    & { tokenSecret: string },
  body: string,
  options: Omit<PostOptions, "kind">,
): Promise<DeliveryOutcome> {
  let target: WebhookTarget;
  try {
    target = openTarget(sealed, id, tokenSecret);
  } catch (error) {
    if (error instanceof ExpectedError) return { failure: error.message };
    throw error;
  }
  const outcome = await postMessage(target, body, { ...options, kind });
  if ("failure" in outcome) return outcome;
  const moved = findNewAddress(kind, outcome.url, outcome.answer);
  if (moved === null) return outcome;
  const now = { ...target, url: moved.href };
  await storeTarget(database, id, { from: sealed, to: sealTarget(now, id, tokenSecret) });
  log.info("The chat of the webhook {name} has a new id, which is kept", { name });
  return await postMessage(now, body, { ...options, kind });
}

/**
 * Sends a webhook a test message. Returns what came of it, in one line without what is secret of the
 * address; null if none has this name.
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
): Promise<{ isSuccess: boolean; text: string } | null> {
  const webhook = await findTarget(database, name);
  if (webhook === null) return null;
  const body = formatTest(webhook.kind, context, now);
  const outcome = await post(database, { ...webhook, name, tokenSecret }, body, {
    id: crypto.randomUUID(),
    now,
    allowsPrivate,
    resolve,
    signal: AbortSignal.timeout(TEST_TIMEOUT_MS),
    timeoutMs: TEST_TIMEOUT_MS,
  });
  if ("failure" in outcome) return { isSuccess: false, text: outcome.failure };
  const { answer, url } = outcome;
  const isSuccess = isAccepted(webhook.kind, answer);
  return { isSuccess, text: describeRefusal(webhook.kind, answer, url) };
}
