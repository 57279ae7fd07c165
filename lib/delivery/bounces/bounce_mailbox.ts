import type { ImapFlow } from "imapflow";
import type { Config } from "../../config/config.ts";
import type { AccessTokens } from "../../http/outgoing/access_tokens.ts";
import { ExpectedError } from "../../expected_error.ts";
import { adviseSignIn } from "../mail/sign_in_advice.ts";
import { toReason } from "./bounce.ts";
import { findParts, type NotificationParts } from "./delivery_status.ts";

/** A notification is short; of the email that it returns only the headers count. */
const MAX_PART_BYTES = 64 * 1024;
/** The most that the server may say in one response. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;

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
  try {
    const mailbox = await openFolder(client, folder).catch(failed);
    return await work({
      list: () => mailbox.list().catch(failed),
      read: (uid) => mailbox.read(uid).catch(failed),
      markRead: (uid) => mailbox.markRead(uid).catch(failed),
    });
  } finally {
    clearTimeout(timer);
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
    const chunks: Uint8Array[] = [];
    for await (const chunk of content ?? []) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
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
  const said = responseText || message || code || String(error);
  const given = token === null ? "user or password" : "access token";
  const advice = adviseSignIn(methods, { hasToken: token !== null, setting: "BOUNCE_MAILBOX" });
  const what = authenticationFailed
    ? [`the ${given} was rejected (${said})`, ...advice].join(". ")
    : said;
  const reason = toReason(what).replaceAll(token ?? password, "…");
  throw new BounceMailboxError(`Cannot read BOUNCE_MAILBOX at ${host}: ${reason}`);
}
