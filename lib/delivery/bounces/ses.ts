import { z } from "zod";
import { type Bounce, type BounceReport, toReason } from "./bounce.ts";

/** What Amazon SNS posts: a notification, or the question whether the endpoint wants them. */
const ENVELOPE = z.object({
  Type: z.string(),
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
  const { data } = NOTIFICATION.safeParse(envelope ? parse(envelope.Message) : body);
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

/** The message of a test of SNS is plain text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
