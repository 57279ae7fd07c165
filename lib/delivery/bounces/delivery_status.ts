import { toReason } from "./bounce.ts";

/** Where the parts of a delivery status notification are that are needed. */
export interface NotificationParts {
  readonly status: string;
  readonly headers: string;
}

/** A part of a mail, as an IMAP server describes it. */
interface MailPart {
  readonly part?: string;
  readonly type: string;
  readonly childNodes?: readonly MailPart[];
}

/** RFC 3464, section 2, and for addresses beyond ASCII RFC 6533. */
const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];
/** RFC 6522, section 3: the email that was returned, or its headers. */
const RETURNED_TYPES = [
  "message/rfc822",
  "text/rfc822-headers",
  "message/global",
  "message/global-headers",
];

/**
 * RFC 3463: 5.x is permanent. Some are not about the mailbox: it is full (2.2), the email is too
 * long for it (2.3), its system (3), the delivery took too long (4.7), the content (6), policy (7).
 */
const PERMANENT = /^5\.\d{1,3}\.\d{1,3}\b/;
const NOT_OF_MAILBOX = /^5\.(?:2\.[23]|[367]\.\d+|4\.7)\b/;

/** Our emails have the id of their row in the outbox as Message-ID, which cannot be guessed. */
const OUR_MESSAGE_ID =
  /^message-id:\s*<([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})@[^>\s]+>/im;

/** Finds the parts of a delivery status notification; null for any other email. */
export function findParts({ type, childNodes = [] }: MailPart): NotificationParts | null {
  if (type !== "multipart/report") return null;
  const find = (types: readonly string[]) =>
    childNodes.find((node) => types.includes(node.type))?.part;
  const status = find(STATUS_TYPES);
  const headers = find(RETURNED_TYPES);
  return status === undefined || headers === undefined ? null : { status, headers };
}

/** Why a mailbox refused an email for good; null where the notification says something else. */
export function readFailure(status: string): string | null {
  // The first group is about the email, each further one about a recipient: ours have one.
  const [, ...recipients] = status.split(/(?:\r?\n){2,}/);
  for (const group of recipients) {
    const field = (name: string) => fieldOf(group, name);
    const code = field("Status") ?? "";
    const isFailed = field("Action")?.toLowerCase() === "failed";
    if (isFailed && PERMANENT.test(code) && !NOT_OF_MAILBOX.test(code)) {
      return toReason("Returned", field("Diagnostic-Code") ?? code);
    }
  }
  return null;
}

/** The id of our email that was returned; null for an email of another sender. */
export function readMailId(headers: string): string | null {
  const [first] = headers.trimStart().split(/(?:\r?\n){2}/);
  return OUR_MESSAGE_ID.exec(unfold(first!))?.[1] ?? null;
}

function fieldOf(group: string, name: string): string | undefined {
  return new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(unfold(group))?.[1]?.trim();
}

/** RFC 5322, section 2.2.3: a line that begins with a blank continues the one before. */
function unfold(text: string): string {
  return text.replace(/\r?\n(?=[ \t])/g, "");
}
