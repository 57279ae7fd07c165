import type { ImapFlow } from "imapflow";
import type { Config } from "../../config/config.ts";
import type { AccessTokens } from "../../http/outgoing/access_tokens.ts";
import { ExpectedError } from "../../expected_error.ts";
import { withoutSecrets } from "../../text/secrets.ts";
import { ByteCollector } from "../../work/byte_streams.ts";
import { adviseSignIn } from "../mail/sign_in_advice.ts";
import { explainConnection } from "../../http/outgoing/connection_reason.ts";
import { toReason } from "./bounce.ts";

/** A notification is short; of the email that it returns only the headers count. */
const MAX_PART_BYTES = 64 * 1024;
/** The most that the server may say in one response. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;

/**
 * The most that the server may say in one visit, and beside that for each notification that is read:
 * responses that nobody asked for would keep the event loop busy.
 */
const MAX_VISIT_BYTES = { first: 2 * MAX_RESPONSE_BYTES, each: 4 * MAX_PART_BYTES };
/** How often that is looked at. */
const WATCH_MS = 100;

/** The settings of the mailbox to which bounces are returned. */
type BounceMailboxSettings = NonNullable<Config["BOUNCE_MAILBOX"]>;

/** The mailbox could not be read. */
class BounceMailboxError extends ExpectedError {}

/** A message that says that it is a delivery status notification. */
interface Notification {
  readonly uid: number;
  /** Null: it is not a bounce after all. */
  readonly texts: NotificationParts | null;
}

/** The mailbox to which mail servers return what they cannot deliver, while it is open. */
export interface BounceMailbox {
  /** The unread notifications, oldest first. */
  list(): Promise<number[]>;
  read(uid: number): Promise<Notification>;
  markRead(uid: number): Promise<void>;
}

/**
 * Does work with the mailbox open, within a time.
 *
 * @throws {BounceMailboxError} that says what went wrong, without the password
 * @throws {AccessTokenError} where there is no token to sign in with
 */
export async function withBounceMailbox<Result>(
  settings: BounceMailboxSettings & {
    /** Signs in a user without a password. */
    readonly tokens: AccessTokens | null;
  },
  { silenceMs, maxMs }: { silenceMs: number; maxMs: number },
  work: (mailbox: BounceMailbox) => Promise<Result>,
): Promise<Result> {
  // Few processes need it.
  const imap = await import("imapflow");
  const { host, port, secure, user, password, tokens, folder } = settings;
  const token = password === "" && tokens !== null ? await tokens.get() : null;
  const failed = (error: unknown): never => {
    const { authenticationFailed } = error as { authenticationFailed?: boolean };
    if (token !== null && authenticationFailed) tokens!.drop(token);
    const methods = [...client.capabilities.keys()].map(String)
      .flatMap((name) => name.startsWith("AUTH=") ? [name.slice(5).toUpperCase()] : []);
    return fail(error, { host, password, token, methods });
  };
  const client = new imap.ImapFlow({
    host,
    port,
    secure,
    doSTARTTLS: false, // without TLS only this machine is asked
    auth: token === null ? { user, pass: password } : { user, accessToken: token },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: silenceMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    maxLineLength: MAX_RESPONSE_BYTES,
    maxLiteralSize: MAX_RESPONSE_BYTES,
    maxResponseSize: 2 * MAX_RESPONSE_BYTES,
  });
  client.on("error", () => {}); // what waits for the client fails with it
  const timer = setTimeout(() => client.close(), maxMs);
  let allowed = MAX_VISIT_BYTES.first;
  const watch = setInterval(() => {
    if (client.stats().received > allowed) client.close();
  }, WATCH_MS);
  try {
    const mailbox = await openFolder(client, folder).catch(failed);
    return await work({
      list: () => mailbox.list().catch(failed),
      read(uid) {
        allowed += MAX_VISIT_BYTES.each;
        return mailbox.read(uid).catch(failed);
      },
      markRead: (uid) => mailbox.markRead(uid).catch(failed),
    });
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    client.close();
  }
}

/** Connects, and opens a folder. */
async function openFolder(client: ImapFlow, folder: string): Promise<BounceMailbox> {
  await client.connect();
  const { readOnly } = await client.mailboxOpen(folder);
  if (readOnly) throw new Error(`the folder ${folder} is read-only`);
  const byUid = { uid: true };
  const download = async (uid: number, part: string) => {
    const options = { ...byUid, maxBytes: MAX_PART_BYTES };
    const { content } = await client.download(String(uid), part, options);
    const text = new ByteCollector();
    for await (const chunk of content ?? []) text.add(chunk);
    return new TextDecoder().decode(text.join());
  };
  return {
    async list() {
      const header = { "content-type": "delivery-status" };
      const found = await client.search({ seen: false, header }, byUid);
      if (!found) throw new Error("the server cannot search");
      return found;
    },
    async read(uid) {
      const message = await client.fetchOne(String(uid), { bodyStructure: true }, byUid);
      const parts = message && message.bodyStructure ? findParts(message.bodyStructure) : null;
      if (parts === null) return { uid, texts: null };
      const status = await download(uid, parts.status);
      return { uid, texts: { status, headers: await download(uid, parts.headers) } };
    },
    async markRead(uid) {
      const isMarked = await client.messageFlagsAdd(String(uid), ["\\Seen"], byUid);
      if (!isMarked) throw new Error("the server does not mark messages as read");
    },
  };
}

/** One line; a server may repeat in its answer what was sent to it. */
function fail(
  error: unknown,
  { host, password, token, methods }: {
    host: string;
    password: string;
    token: string | null;
    methods: readonly string[];
  },
): never {
  const { authenticationFailed, responseText, code, message } = error as {
    authenticationFailed?: boolean;
    responseText?: string;
    code?: string;
    message?: string;
  };
  const said = responseText || explainConnection(error, host) || message || code || String(error);
  const given = token === null ? "user or password" : "access token";
  const advice = adviseSignIn(methods, { hasToken: token !== null, setting: "BOUNCE_MAILBOX" });
  const what = authenticationFailed
    ? [`the ${given} was rejected (${said})`, ...advice].join(". ")
    : said;
  const reason = toReason(withoutSecrets(what, [token ?? "", password]));
  throw new BounceMailboxError(`Cannot read BOUNCE_MAILBOX at ${host}: ${reason}`);
}

/** Where the parts of a delivery status notification are that are needed. */
interface NotificationParts {
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
function findParts({ type, childNodes = [] }: MailPart): NotificationParts | null {
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
