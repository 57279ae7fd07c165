import { z } from "zod";
import { type Bounce, type BounceReport, toReason } from "./bounce.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import { parseJson } from "../../text/values.ts";

/** What Amazon SNS posts: a notification, or the question whether the endpoint wants them. */
const ENVELOPE = z.object({
  Type: z.string(),
  /** That of a test is plain text. */
  Message: z.string(),
  SubscribeURL: z.string().optional(),
});

const RECIPIENTS = z.array(z.object({
  emailAddress: z.string(),
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

/** Reads a notification of Amazon SES, in the envelope of SNS or raw; null for anything else. */
export function readSes(body: unknown): BounceReport | null {
  const { data: envelope } = ENVELOPE.safeParse(body);
  const { data } = NOTIFICATION.safeParse(envelope ? parseJson(envelope.Message) : body);
  const { bounce, complaint } = data ?? {};
  const feedback = bounce ?? complaint;
  if (!feedback) return null;
  return {
    key: `ses:${feedback.feedbackId}`,
    bounces: bounce ? bouncesOf(bounce) : complaintsOf(complaint!),
  };
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

/** Reads a webhook of Postmark; null where it is about something else. */
export function readPostmark(body: unknown): BounceReport | null {
  const { data } = POSTMARK_EVENT.safeParse(body);
  if (!data) return null;
  const { RecordType, ID, Type, Email: email, Description, Details } = data;
  const isComplaint = Type === "SpamComplaint";
  const reason = toReason(`Postmark: ${Type}`, Description, Details);
  return {
    key: `postmark:${RecordType}:${ID}`,
    bounces: isComplaint || PERMANENT.includes(Type) ? [{ email, isComplaint, reason }] : [],
  };
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
  const { data } = MAILGUN_EVENT.safeParse(body);
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

/** Events of Azure Event Grid, which posts several at once. */
const AZURE_EVENTS = z.array(z.object({
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  eventType: z.string(),
  data: z.looseObject({}),
})).min(1).max(1_000);

const AZURE_REPORT = z.object({
  recipient: z.string(),
  status: z.string(),
  deliveryStatusDetails: z.object({ statusMessage: z.string().nullish() }).nullish(),
});

/** The states of Azure Communication Services after which no email to an address arrives. */
const AZURE_REJECTED = ["Bounced", "Suppressed"];

/** The code by which Event Grid asks whether its events are wanted; null where it does not. */
export function readAzureCode(body: unknown): string | null {
  const { data: [event] = [] } = AZURE_EVENTS.safeParse(body);
  if (event?.eventType !== "Microsoft.EventGrid.SubscriptionValidationEvent") return null;
  return typeof event.data.validationCode === "string" ? event.data.validationCode : null;
}

/** Reads the delivery reports of Azure Communication Services; null if there is no rejected email. */
export function readAzure(body: unknown): BounceReport | null {
  const { data: events = [] } = AZURE_EVENTS.safeParse(body);
  const rejected = events.flatMap(({ id, eventType, data }) => {
    if (eventType !== "Microsoft.Communication.EmailDeliveryReportReceived") return [];
    const { data: report } = AZURE_REPORT.safeParse(data);
    return report && AZURE_REJECTED.includes(report.status) ? [{ id, report }] : [];
  });
  if (rejected.length === 0) return null;
  return {
    key: `azure:${rejected[0]!.id}`,
    bounces: rejected.map(({ report }) => ({
      email: report.recipient,
      isComplaint: false,
      reason: toReason(
        `Azure: ${report.status}`,
        report.deliveryStatusDetails?.statusMessage,
      ),
    })),
  };
}
