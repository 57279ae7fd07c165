import { createHmac } from "node:crypto";

/** The subscriber of whom bounces tell. */
export const ANN = "ann@example.com";
export const BOUNCE_SECRET = "a-secret-of-24-characters";
const NOW = Date.parse("2026-07-20T12:00:00Z") / 1000;

/** An Amazon SES notification, wrapped in an SNS message. */
export function sns(notification: unknown): Record<string, unknown> {
  return {
    Type: "Notification",
    MessageId: crypto.randomUUID(),
    TopicArn: "arn:aws:sns:eu-west-1:123456789012:bounces",
    Message: typeof notification === "string" ? notification : JSON.stringify(notification),
    Timestamp: "2026-07-20T12:00:00.000Z",
    SignatureVersion: "1",
    Signature: "c2lnbmF0dXJl",
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
  };
}

function sesBounce(email: string, bounceType = "Permanent", name = "notificationType") {
  return {
    [name]: "Bounce",
    bounce: {
      feedbackId: crypto.randomUUID(),
      bounceType,
      bounceSubType: "General",
      bouncedRecipients: [{
        emailAddress: email,
        action: "failed",
        status: "5.1.1",
        diagnosticCode: "smtp; 550 5.1.1 <b>no such user</b>\r\n\u0000",
      }],
      timestamp: "2026-07-20T12:00:00.000Z",
    },
    mail: { messageId: "1", destination: [email] },
  };
}

function sesComplaint(email: string, complaintFeedbackType = "abuse") {
  return {
    eventType: "Complaint",
    complaint: {
      feedbackId: crypto.randomUUID(),
      complainedRecipients: [{ emailAddress: email }],
      complaintFeedbackType,
    },
  };
}

let newest = 0;

export function postmark(email: string, Type = "HardBounce", RecordType = "Bounce") {
  newest++;
  return {
    RecordType,
    ID: newest,
    Type,
    Email: email,
    Description: "The server was unable to deliver your message.",
    Details: "smtp;550 5.1.1 no such user",
    Inactive: true,
  };
}

function sign(key: string, { timestamp = String(NOW), token = crypto.randomUUID() } = {}) {
  const signature = createHmac("sha256", key).update(timestamp + token).digest("hex");
  return { timestamp, token, signature };
}

export function mailgun(email: string, event = "failed", severity = "permanent") {
  newest++;
  return {
    signature: sign(BOUNCE_SECRET),
    "event-data": {
      id: `id-${newest}`,
      timestamp: NOW + newest / 1000,
      event,
      severity,
      recipient: email,
      reason: "bounce",
      "delivery-status": { code: 550, message: "5.1.1 no such user" },
    },
  };
}

/** A delivery report of Azure Communication Services, as Event Grid posts it in a batch. */
function azure(recipient: string, status = "Bounced") {
  return {
    id: crypto.randomUUID(),
    topic: "/subscriptions/1/providers/microsoft.communication/communicationservices/ours",
    subject: `sender/roadmap@example.com/message/${crypto.randomUUID()}`,
    eventType: "Microsoft.Communication.EmailDeliveryReportReceived",
    eventTime: "2026-07-20T12:00:00Z",
    dataVersion: "1.0",
    data: {
      sender: "roadmap@example.com",
      recipient,
      messageId: crypto.randomUUID(),
      status,
      deliveryStatusDetails: { statusMessage: "550 5.1.1 no such user" },
      deliveryAttemptTimeStamp: "2026-07-20T12:00:00Z",
    },
  };
}

/** What a mail service posts. */
interface Provider {
  bounce(email: string): unknown;
  /** Null: it reports none. */
  complaint: ((email: string) => unknown) | null;
  /** Also a bounce. */
  bounces?: ((email: string) => unknown)[];
  /** Bodies that say nothing about a mailbox. */
  harmless: unknown[];
  /** Another copy of what was posted; absent: it is the same. */
  again?(event: unknown): unknown;
  /** Several bodies may be posted as one. */
  joins?: boolean;
  /** The answer to who does not know the secret. */
  status: 401 | 403;
  /** What somebody without the secret can post; absent: all that who knows it can. */
  forged?: unknown[];
}

export const PROVIDERS: Record<string, Provider> = {
  ses: {
    bounce: (email) => sns(sesBounce(email)),
    complaint: (email) => sns(sesComplaint(email)),
    bounces: [sesBounce, (email) => sns(sesBounce(email, "Permanent", "eventType"))],
    harmless: [
      sns(sesBounce(ANN, "Transient")),
      sns(sesBounce(ANN, "Undetermined")),
      sns(sesComplaint(ANN, "not-spam")),
      sns({ notificationType: "Delivery", delivery: { recipients: [ANN] } }),
      sns("Successfully validated SNS topic for Amazon SES event publishing."),
      { ...sns(sesBounce(ANN)), Type: "UnsubscribeConfirmation", Message: "Bye" },
      [],
    ],
    again: (event) => ({ ...event as Record<string, unknown>, MessageId: crypto.randomUUID() }),
    status: 401,
  },
  postmark: {
    bounce: (email) => postmark(email),
    complaint: (email) => postmark(email, "SpamComplaint", "SpamComplaint"),
    bounces: [(email) => postmark(email, "BadEmailAddress")],
    harmless: [
      ...["SoftBounce", "Transient", "Blocked"].map((type) => postmark(ANN, type)),
      { RecordType: "Delivery", ID: 1, Recipient: ANN },
      null,
    ],
    status: 401,
  },
  mailgun: {
    bounce: (email) => mailgun(email),
    complaint: (email) => mailgun(email, "complained"),
    harmless: [mailgun(ANN, "failed", "temporary"), mailgun(ANN, "delivered"), {
      signature: sign(BOUNCE_SECRET),
    }],
    // The webhook of the account beside that of the domain.
    again: (event) => ({ ...event as Record<string, unknown>, signature: sign(BOUNCE_SECRET) }),
    status: 403,
    forged: [
      sign("another-secret-of-27-letters"),
      { ...sign(BOUNCE_SECRET), token: "other" },
      {},
      undefined,
      sign(BOUNCE_SECRET, { timestamp: String(NOW - 90_000) }),
      sign(BOUNCE_SECRET, { timestamp: String(NOW + 90_000) }),
    ].map((signature) => ({ ...mailgun(ANN), signature })),
  },
  azure: {
    bounce: (email) => [azure(email)],
    complaint: null,
    bounces: [
      (email) => [azure(email, "Suppressed")],
      (email) => [{ id: 1 }, null, azure("x".repeat(999)), azure(email), azure(ANN, "Delivered")],
    ],
    harmless: [...["Delivered", "Failed", "Expanded"].map((status) => [azure(ANN, status)]), [{
      id: 1,
    }], {}],
    joins: true,
    status: 401,
  },
};
