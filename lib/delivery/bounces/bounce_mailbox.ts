import { getLogger } from "@logtape/logtape";
import type { ImapFlow } from "imapflow";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { doWhenDue } from "../../database/leases.ts";
import { ExpectedError } from "../../expected_error.ts";
import type { AccessTokens } from "../../http/outgoing/access_tokens.ts";
import { explainConnection } from "../../http/outgoing/connection_reason.ts";
import { withoutSecrets } from "../../text/secrets.ts";
import { ByteCollector } from "../../work/byte_streams.ts";
import { handleReturnedMail } from "./bounces_sql.ts";
import { toReason } from "./providers.ts";

const EVERY_SECONDS = 300;
/** The most notifications read at a time; the others wait for the next run. */
const MAX_READ = 200;
/** How long the server may be silent, and how long one visit takes. */
const TIMES = { silenceMs: 10_000, maxMs: 45_000 };
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

const log = getLogger(["roadcast", "mail"]);

/** The settings of the mailbox to which bounces are returned. */
type BounceMailboxSettings = NonNullable<Config["BOUNCE_MAILBOX"]> & {
  /** Signs in a user without a password. */
  readonly tokens: AccessTokens | null;
};

/**
 * Reads what mail servers returned since the last time, by one process over all on the database. A
 * notification is marked as read once it is handled; other messages stay as they are. Returns how
 * many were read, and how many of them were about an email of ours that a mailbox refused for good.
 */
export async function readBouncesIfDue(
  { database, settings, clock, failed }: {
    database: Database;
    settings: BounceMailboxSettings;
    clock: () => Date;
    /** Those at which earlier visits failed: they come last, so that they hold no other up. */
    failed: Set<number>;
  },
  ending: AbortSignal,
): Promise<{ read: number; counted: number }> {
  const done = { read: 0, counted: 0 };
  await doWhenDue(
    database,
    { name: "bounces", everySeconds: EVERY_SECONDS },
    () =>
      withBounceMailbox(settings, TIMES, async (mailbox) => {
        const uids = (await mailbox.list())
          .toSorted((a, b) => Number(failed.has(a)) - Number(failed.has(b)));
        for (const uid of uids.slice(0, MAX_READ)) {
          if (ending.aborted) return;
          failed.add(uid);
          if (await handle(uid, { mailbox, database, now: clock() })) done.counted++;
          failed.delete(uid);
          done.read++;
        }
      }),
  );
  return done;
}

/** Handles a notification; true if it is about an email of ours, and counts. */
async function handle(
  uid: number,
  { mailbox, database, now }: { mailbox: BounceMailbox; database: Database; now: Date },
): Promise<boolean> {
  const texts = await mailbox.read(uid);
  const reason = texts && readFailure(texts.status);
  const mailId = texts && readMailId(texts.headers);
  const counted = reason && mailId
    ? await handleReturnedMail(database, { mailId, reason, now })
    : null;
  await mailbox.markRead(uid);
  if (counted?.isSetAside) {
    log.warn("The recipient of email {id} rejected too many emails and gets no more", {
      id: mailId,
    });
  }
  return counted !== null;
}

/** The mailbox could not be read. */
class BounceMailboxError extends ExpectedError {}

/** The mailbox to which mail servers return what they cannot deliver, while it is open. */
interface BounceMailbox {
  /** The unread messages that say that they are delivery status notifications, oldest first. */
  list(): Promise<number[]>;
  /** Null: it is no such notification after all. */
  read(uid: number): Promise<NotificationParts | null>;
  markRead(uid: number): Promise<void>;
}

/** What is needed of a delivery status notification, or where it stands. */
interface NotificationParts {
  readonly status: string;
  readonly headers: string;
}

/**
 * Does work with the mailbox open, within a time.
 *
 * @throws {BounceMailboxError} that says what went wrong, without the password
 * @throws {AccessTokenError} where there is no token to sign in with
 */
export async function withBounceMailbox<Result>(
  { host, port, secure, user, password, tokens, folder }: BounceMailboxSettings,
  { silenceMs, maxMs }: typeof TIMES,
  work: (mailbox: BounceMailbox) => Promise<Result>,
): Promise<Result> {
  // Few processes need it.
  const imap = await import("imapflow");
  const token = password === "" && tokens !== null ? await tokens.get() : null;
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
  /** One line; a server may repeat in its answer what was sent to it. */
  const failed = (error: unknown): never => {
    const { authenticationFailed, responseText, code, message } = error as {
      authenticationFailed?: boolean;
      responseText?: string;
      code?: string;
      message?: string;
    };
    if (token !== null && authenticationFailed) tokens!.drop(token);
    const said = responseText || explainConnection(error, host) || message || code || String(error);
    const rejected = `the ${token === null ? "user or password" : "access token"} was rejected`;
    const what = authenticationFailed
      ? [`${rejected} (${said})`, ...adviseSignIn([...client.capabilities.keys()], token)].join(
        ". ",
      )
      : said;
    const reason = toReason(withoutSecrets(what, [token ?? "", password]));
    throw new BounceMailboxError(`Cannot read BOUNCE_MAILBOX at ${host}: ${reason}`);
  };
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

const TOKEN_METHODS = ["XOAUTH2", "OAUTHBEARER"];

/** What a mail server offers to those whom it rejects, and what to set; nothing where it offers none. */
function adviseSignIn(capabilities: readonly unknown[], token: string | null): string[] {
  const methods = capabilities.map(String)
    .flatMap((name) => name.startsWith("AUTH=") ? [name.slice(5).toUpperCase()] : []);
  if (methods.length === 0) return [];
  const offer = `The server offers ${methods.join(", ")}`;
  const hasToken = token !== null;
  if (!methods.some((method) => TOKEN_METHODS.includes(method) === hasToken)) {
    return [
      hasToken
        ? `${offer}, and takes no access token: set a password in BOUNCE_MAILBOX`
        : `${offer} only: set MAIL_OAUTH_TOKEN_URL, MAIL_OAUTH_CLIENT_ID and ` +
          "MAIL_OAUTH_CLIENT_SECRET, and leave the password out of BOUNCE_MAILBOX",
    ];
  }
  const what = hasToken
    ? "MAIL_OAUTH_CLIENT_ID and its scope"
    : "the user and password in BOUNCE_MAILBOX";
  return [`${offer}: check ${what}`];
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
      if (parts === null) return null;
      const status = await download(uid, parts.status);
      return { status, headers: await download(uid, parts.headers) };
    },
    async markRead(uid) {
      const isMarked = await client.messageFlagsAdd(String(uid), ["\\Seen"], byUid);
      if (!isMarked) throw new Error("the server does not mark messages as read");
    },
  };
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
function readFailure(status: string): string | null {
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
function readMailId(headers: string): string | null {
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
