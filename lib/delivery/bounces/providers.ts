import { createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { shorten, toLine } from "../../text/phrases.ts";
import { parseJson } from "../../text/values.ts";

const MAX_REASON = 500;

/** A mailbox refused an email for good, or its owner marked the email as spam. */
interface Bounce {
  /** As the sender of the report writes the address. */
  readonly email: string;
  readonly isComplaint: boolean;
  /** One line. */
  readonly reason: string;
}

/** What a mail service reports of one email that it had accepted. */
export interface BounceReport {
  /** What its sender calls it, the same in each copy: who shares one with an earlier report is known. */
  readonly keys: readonly string[];
  /** Null: it is about something else, such as a delay. */
  readonly bounce: Bounce | null;
}

/** Makes one line of what a report says, as it is stored. */
export function toReason(...texts: (string | null | undefined)[]): string {
  const known = texts.filter((text) => text !== null && text !== undefined && text !== "");
  return shorten(toLine(known.join(": ").toWellFormed()), MAX_REASON);
}

/** What Amazon SNS posts: a notification, or the question whether the endpoint wants them. */
const ENVELOPE = z.object({
  Type: z.string(),
  /** That of a test is plain text. */
  Message: z.string(),
  SubscribeURL: z.string().optional(),
});

const RECIPIENTS = z.array(z.object({
  emailAddress: z.string().max(320),
  diagnosticCode: z.string().nullish(),
})).max(100);

/** Amazon SES names the kind `notificationType`, in events of a configuration set `eventType`. */
const NOTIFICATION = z.object({
  bounce: z.object({
    feedbackId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    bounceType: z.string(),
    bounceSubType: z.string().nullish(),
    bouncedRecipients: RECIPIENTS,
  }).optional(),
  complaint: z.object({
    feedbackId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    complaintFeedbackType: z.string().nullish(),
    complainedRecipients: RECIPIENTS,
  }).optional(),
});

/** The address that confirms a subscription; SNS has such addresses in its own domains only. */
const CONFIRMATION = /^https:\/\/sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/\?/;

/** The address to open where a body asks to confirm a subscription; null where it is no such body. */
export function readConfirmation(body: unknown): string | null {
  const { data } = ENVELOPE.safeParse(body);
  if (data?.Type !== "SubscriptionConfirmation") return null;
  return CONFIRMATION.test(data.SubscribeURL ?? "") ? data.SubscribeURL! : null;
}

/** Reads a notification of Amazon SES, in the envelope of SNS or raw. */
export function readSes(body: unknown): BounceReport[] {
  const { data: envelope } = ENVELOPE.safeParse(body);
  const { data } = NOTIFICATION.safeParse(envelope ? parseJson(envelope.Message) : body);
  const { bounce, complaint } = data ?? {};
  const { feedbackId } = bounce ?? complaint ?? {};
  const bounces = bounce ? bouncesOf(bounce) : complaint ? complaintsOf(complaint) : [];
  return bounces.map((bounce) => ({ keys: [`ses:${feedbackId} ${bounce.email}`], bounce }));
}

type Notification = z.output<typeof NOTIFICATION>;

function bouncesOf(
  { bounceType, bounceSubType, bouncedRecipients }: NonNullable<Notification["bounce"]>,
): Bounce[] {
  if (bounceType !== "Permanent") return [];
  return bouncedRecipients.map(({ emailAddress, diagnosticCode }) => ({
    email: emailAddress,
    isComplaint: false,
    reason: toReason(`Amazon SES: ${bounceSubType ?? bounceType}`, diagnosticCode),
  }));
}

function complaintsOf(
  { complaintFeedbackType, complainedRecipients }: NonNullable<Notification["complaint"]>,
): Bounce[] {
  if (complaintFeedbackType === "not-spam") return [];
  return complainedRecipients.map(({ emailAddress }) => ({
    email: emailAddress,
    isComplaint: true,
    reason: toReason("Amazon SES: marked as spam", complaintFeedbackType),
  }));
}

/** What Postmark posts of a bounce or a complaint. */
const POSTMARK_EVENT = z.object({
  RecordType: z.enum(["Bounce", "SpamComplaint"]),
  ID: z.int(),
  Type: z.string(),
  Email: z.string(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
});

/** The types that are about the mailbox and final; the others are delays, or about the email. */
const PERMANENT = ["HardBounce", "BadEmailAddress"];

/** Reads a webhook of Postmark. */
export function readPostmark(body: unknown): BounceReport[] {
  const { data } = POSTMARK_EVENT.safeParse(body);
  if (!data) return [];
  const { RecordType, ID, Type, Email: email, Description, Details } = data;
  const isComplaint = Type === "SpamComplaint";
  if (!isComplaint && !PERMANENT.includes(Type)) return [];
  const reason = toReason(`Postmark: ${Type}`, Description, Details);
  return [{ keys: [`postmark:${RecordType}:${ID}`], bounce: { email, isComplaint, reason } }];
}

/** Mailgun repeats a webhook for 8 hours, with the signature of the first time. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

const SIGNED = z.object({
  signature: z.object({
    timestamp: z.string().regex(/^\d{1,12}$/),
    token: z.string().regex(/^[\x21-\x7e]{1,200}$/),
    signature: z.string().regex(/^[\da-f]{64}$/),
  }),
});

const MAILGUN_EVENT = z.object({
  "event-data": z.object({
    /** Of its day. */
    id: z.string().max(200).optional(),
    timestamp: z.number().optional(),
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
 * nobody can use it a second time, with another event. Two webhooks, such as those of an account and
 * a domain, get the same event with two tokens.
 */
export function readMailgun(body: unknown): BounceReport[] {
  const token = `mailgun:${SIGNED.parse(body).signature.token}`;
  const { data } = MAILGUN_EVENT.safeParse(body);
  if (!data) return [{ keys: [token], bounce: null }];
  const { id, timestamp, event, severity, recipient: email, reason, ...more } = data["event-data"];
  const isComplaint = event === "complained";
  if (!isComplaint && !(event === "failed" && severity === "permanent")) {
    return [{ keys: [token], bounce: null }];
  }
  const { message, description } = more["delivery-status"] ?? {};
  const what = isComplaint ? "marked as spam" : reason ?? "failed";
  return [{
    keys: [token, ...id ? [`mailgun event:${timestamp}:${id}`] : []],
    bounce: { email, isComplaint, reason: toReason(`Mailgun: ${what}`, message || description) },
  }];
}

/** Azure Event Grid posts up to so many events at once, of several subscriptions. */
const AZURE_BATCH = z.array(z.unknown()).max(5_000);

const AZURE_QUESTION = z.object({
  eventType: z.literal("Microsoft.EventGrid.SubscriptionValidationEvent"),
  data: z.object({ validationCode: z.string() }),
});

/** The states of Azure Communication Services after which no email to an address arrives. */
const AZURE_BOUNCE = z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  eventType: z.literal("Microsoft.Communication.EmailDeliveryReportReceived"),
  data: z.object({
    recipient: z.string(),
    status: z.enum(["Bounced", "Suppressed"]),
    deliveryStatusDetails: z.object({ statusMessage: z.string().nullish() }).nullish(),
  }),
});

/** The code by which Event Grid asks whether its events are wanted; null where it does not. */
export function readAzureCode(body: unknown): string | null {
  const { data: [event] = [] } = AZURE_BATCH.safeParse(body);
  return AZURE_QUESTION.safeParse(event).data?.data.validationCode ?? null;
}

/** Reads delivery reports of Azure Communication Services; a repeated one may come in another batch. */
export function readAzure(body: unknown): BounceReport[] {
  const { data: events = [] } = AZURE_BATCH.safeParse(body);
  return events.flatMap((event) => {
    const { data } = AZURE_BOUNCE.safeParse(event);
    if (!data) return [];
    const { recipient: email, status, deliveryStatusDetails } = data.data;
    const reason = toReason(`Azure: ${status}`, deliveryStatusDetails?.statusMessage);
    return [{ keys: [`azure:${data.id}`], bounce: { email, isComplaint: false, reason } }];
  });
}
