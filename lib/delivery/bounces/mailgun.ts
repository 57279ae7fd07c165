import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { type BounceReport, toReason } from "./bounce.ts";

/** Mailgun repeats a webhook for 8 hours, with the signature of the first time. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

const SIGNED = z.object({
  signature: z.object({
    timestamp: z.string().regex(/^\d{1,12}$/),
    token: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    signature: z.string().regex(/^[\da-f]{64}$/),
  }),
});

const EVENT = z.object({
  "event-data": z.object({
    event: z.string(),
    severity: z.string().nullish(),
    recipient: z.string(),
    reason: z.string().nullish(),
    "delivery-status": z.object({
      message: z.string().nullish(),
      description: z.string().nullish(),
    }).nullish(),
  }),
});

/** Whether Mailgun signed a webhook with this key, less than a day ago. */
export function isOfMailgun(body: unknown, { key, now }: { key: string; now: Date }): boolean {
  const { data } = SIGNED.safeParse(body);
  if (!data) return false;
  const { timestamp, token, signature } = data.signature;
  const signed = createHmac("sha256", key).update(timestamp + token).digest();
  if (!timingSafeEqual(signed, Buffer.from(signature, "hex"))) return false;
  return Math.abs(now.getTime() - Number(timestamp) * 1000) <= MAX_AGE_MS;
}

/**
 * Reads a webhook that Mailgun signed. The signature covers its token only, so the token is its key:
 * nobody can use it a second time, with another event.
 */
export function readMailgun(body: unknown): BounceReport {
  const key = `mailgun:${SIGNED.parse(body).signature.token}`;
  const { data } = EVENT.safeParse(body);
  if (!data) return { key, bounces: [] };
  const { event, severity, recipient: email, reason, ...more } = data["event-data"];
  const isComplaint = event === "complained";
  if (!isComplaint && !(event === "failed" && severity === "permanent")) {
    return { key, bounces: [] };
  }
  const { message, description } = more["delivery-status"] ?? {};
  const said = message || description;
  const what = isComplaint ? "marked as spam" : reason ?? "failed";
  return { key, bounces: [{ email, isComplaint, reason: toReason(`Mailgun: ${what}`, said) }] };
}
