import { createTransport } from "nodemailer";
import parseAddresses from "nodemailer/lib/addressparser";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { AccessTokens } from "../../http/outgoing/access_tokens.ts";
import { isLoopback } from "../../http/outgoing/checked_addresses.ts";
import { explainConnection } from "../../http/outgoing/connection_reason.ts";
import { withoutSecrets } from "../../text/secrets.ts";
import { untilAborted } from "../../work/async.ts";
import { encodePart } from "./mail_body.ts";
import { type Mail, type Mailer, MailRefused, NoMailLeaves, Throttled } from "./mail.ts";
import type { MailSite } from "./mail_content.ts";

/** What a server may say that nobody asked for: an answer for each command is all that it owes. */
const MAX_WAITING_LINES = 100;

/**
 * nodemailer bounds each answer, but not how many wait: it takes a turn of the event loop for each
 * blank line, and a server that sends nothing else would fill the memory meanwhile.
 */
function boundAnswers(): void {
  if (areBounded) return;
  areBounded = true;
  const connection: Answers = SMTPConnection.prototype as never;
  const take = connection._onData;
  connection._onData = function (chunk) {
    take.call(this, chunk);
    if (this._responseQueue.length > MAX_WAITING_LINES) this._onResponseTooLarge();
  };
}

let areBounded = false;

interface Answers {
  readonly _responseQueue: readonly string[];
  _onData: (this: Answers, chunk: Uint8Array) => void;
  _onResponseTooLarge(): void;
}

/**
 * Sends mails to the server of SMTP_URL, over some connections at most. A user without a password
 * signs in with an access token (XOAUTH2).
 */
export function openSmtp(
  { url, from, tokens, connections, baseUrl }: {
    url: string;
    from: string;
    tokens: AccessTokens | null;
    connections: number;
    baseUrl: string;
  },
  { siteName, timeoutMs, maxMs }: { siteName: string; timeoutMs: number; maxMs: number },
): Mailer {
  boundAnswers();
  const sender = parseSender(from, siteName);
  const options = {
    ...toLogin(new URL(url), tokens),
    name: nameOf(new URL(baseUrl), sender.address),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 0, // a server that goes on talking is not listened to
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const { host, password } = new URL(url);
  const given = { host, secrets: [decodeURIComponent(password)] };
  const transport = createTransport({
    ...options,
    pool: true,
    maxConnections: connections,
    // Our outbox repeats what failed; a repetition unknown to it might send a mail twice.
    maxRequeues: 0,
  });
  return {
    outcome: "sent",
    maxMs,
    async send(mail) {
      // A server that answers a little each time is given up as well. The timer ends with the mail:
      // AbortSignal.timeout keeps each for a minute.
      const tooLong = new AbortController();
      const timer = setTimeout(() => tooLong.abort(), maxMs);
      try {
        await transport.sendMail({ ...toMessage(mail, sender), signal: tooLong.signal });
      } catch (error) {
        throw classify(toShown(error, given));
      } finally {
        clearTimeout(timer);
      }
    },
    async verify() {
      try {
        await untilAborted(transport.verify(), AbortSignal.timeout(maxMs));
        return null;
      } catch (error) {
        return toShown(error, given);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * The name that a server is greeted with (RFC 5321, section 4.1.1.1); `name` in the query of SMTP_URL
 * comes before it.
 *
 * ```ts
 * const names = ["https://roadmap.example.com/x", "http://localhost:8000", "http://10.0.0.1"]
 *   .map((url) => nameOf(new URL(url), "roadmap@acme.example"));
 * if (names.join() !== "roadmap.example.com,acme.example,acme.example") throw new Error(names.join());
 * ```
 */
export function nameOf({ hostname }: URL, sender: string): string {
  return /\.[a-z][^.]*$/i.test(hostname) ? hostname : sender.slice(sender.lastIndexOf("@") + 1);
}

/** What nodemailer says of a failure. */
interface SmtpError {
  readonly name?: string;
  readonly code?: string;
  /** At which command the server refused, and its answer. */
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** What people read of an error; a server may repeat in its answer what was sent to it. */
function toShown(
  error: unknown,
  { host, secrets }: { host: string; secrets: readonly string[] },
): unknown {
  if (!(error instanceof Error)) return error;
  const { code, command, responseCode } = error as SmtpError;
  // A server of access tokens that cannot be reached is another one.
  const isOurs = responseCode === undefined && code !== "EAUTH";
  const reason = isOurs ? explainConnection(error, host) : null;
  if (reason !== null) return Object.assign(new Error(reason, { cause: error }), { command });
  error.message = withoutSecrets(error.message, secrets);
  return error;
}

/** The address of a server, and how to sign in there. */
function toLogin(url: URL, tokens: AccessTokens | null) {
  if (tokens === null || url.username === "" || url.password !== "") {
    return { url: url.href, requireTLS: needsTls(url) };
  }
  const user = decodeURIComponent(url.username);
  const requireTLS = needsTls(url, { hasToken: true });
  const bare = new URL(url);
  bare.username = "";
  let last = "";
  return {
    url: bare.href,
    requireTLS,
    auth: {
      type: "OAuth2" as const,
      user,
      /** Called for each connection, and once more where the server rejects the token. */
      provisionCallback(
        _user: string,
        isRejected: boolean,
        done: (error: Error | null, token?: string, endsAt?: number) => void,
      ) {
        if (isRejected) tokens.drop(last);
        // It is not kept here: the next connection asks again.
        tokens.get().then((token) => done(null, last = token, 1), done);
      },
    },
  };
}

/** A mail with its headers, as nodemailer takes it. */
function toMessage(
  { id, to, subject, text, html, site, isOfList, date }: Mail,
  sender: { name: string; address: string },
) {
  const host = sender.address.split("@")[1]!;
  return {
    messageId: `<${id}@${host}>`,
    date,
    from: sender,
    to: { name: "", address: to },
    subject,
    text: { raw: encodePart("text/plain", text) },
    html: { raw: encodePart("text/html", html) },
    headers: {
      "Auto-Submitted": "auto-generated", // RFC 3834, section 5
      ...listHeaders(site, { isOfList }),
    },
  };
}

/** MAIL_FROM, with the name of the site where it has none. */
function parseSender(from: string, siteName: string): { name: string; address: string } {
  const [sender] = parseAddresses(from, { flatten: true });
  return { name: sender?.name || siteName.replace(/\s+/g, " "), address: sender?.address ?? from };
}

/** A secret must not travel in the clear because a proxy on the way removed STARTTLS. */
function needsTls(
  { protocol, password, hostname, searchParams }: URL,
  { hasToken = false } = {},
): boolean {
  if (searchParams.has("requireTLS")) return searchParams.get("requireTLS") === "true";
  return protocol === "smtp:" && (password !== "" || hasToken) && !isLoopback(hostname) &&
    !searchParams.has("ignoreTLS");
}

/** What a failure at sending means for the mail and for others. */
function classify(error: unknown): unknown {
  const { name, code, command = "", responseCode = 0, response = "" } = error as SmtpError;
  const isAboutMail = /^(RCPT TO|DATA)/.test(command);
  if (responseCode >= 500 && isAboutMail) return toRefusal(error as SmtpError) ?? error;
  // What failed before any receiver was named (greeting, TLS, authentication, sender) is about our
  // settings, which an operator may fix, or for now (4yz).
  if (name !== "AbortError" && !isAboutMail) {
    const isAnswer = responseCode > 0 || code === "EAUTH";
    const isForNow = responseCode >= 400 && responseCode < 500;
    return new NoMailLeaves(error, !isAnswer ? "away" : isForNow ? "busy" : "refused");
  }
  // A temporary failure that is about all mails (RFC 5321, section 4.2.3): 421 ends the service for
  // now, 454 is how services say that they throttle. 451 and 452 are a receiver's, as where it
  // greylists, while the server had heard of the receiver alone, and where their detail (RFC 3463,
  // section 3) is of an address or a mailbox.
  const isOfMailbox = /^4\d\d[ -]4\.[12]\./.test(response);
  const isOfAll = responseCode === 421 || responseCode === 454 ||
    (responseCode === 451 || responseCode === 452) && !isOfMailbox &&
      (command.startsWith("DATA") || /^4\d\d[ -]4\.[345]\./.test(response));
  return isOfAll ? new Throttled(error) : error;
}

/**
 * RFC 5321, section 4.2.1: 5yz is a permanent refusal of a receiver, or of the mail itself; and
 * section 4.5.3.1.10 has 552 after RCPT taken for 452, a mailbox without room: null. RFC 3463,
 * section 3.8: 5.7 is about policy, as where our network is blocked, and says nothing about the
 * mailbox.
 */
function toRefusal(error: SmtpError): MailRefused | null {
  const { responseCode, response = "", command = "" } = error;
  const isToReceiver = command.startsWith("RCPT TO");
  if (isToReceiver && responseCode === 552) return null;
  const isOfReceiver = isToReceiver && !/^5\d\d[ -]5\.7\./.test(response);
  // Sections 3.2 and 3.3: the address is bad, or the mailbox is disabled.
  const isCertain = isOfReceiver && /^5\d\d[ -]5\.(?:1\.(?:[0136]|10)|2\.1)\b/.test(response);
  return new MailRefused(error, isOfReceiver, isCertain);
}

/**
 * The header fields by which mail programs know a list, and offer to leave it. A mail that was
 * requested is of no list, but has a link to unsubscribe as well.
 *
 * ```ts
 * const urls = { unsubscribeUrl: "https://a.example/u", preferencesUrl: "https://a.example/p" };
 * const site = { siteName: "Acme", siteUrl: "https://a.example/roadmap", ...urls };
 * const { "List-Id": id } = listHeaders(site, { isOfList: true });
 * if (id !== "<changes.roadmap.a.example>") throw new Error(id);
 * ```
 */
export function listHeaders(
  { siteUrl, unsubscribeUrl, preferencesUrl }: MailSite,
  { isOfList }: { isOfList: boolean },
): Record<string, string> {
  const leave = {
    "List-Unsubscribe": `<${unsubscribeUrl}>`, // RFC 2369, section 3.2
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click", // RFC 8058, section 3.1
  };
  if (!isOfList) return leave;
  return {
    ...leave,
    "List-Id": `<${listId(siteUrl)}>`, // RFC 2919
    "List-Help": `<${preferencesUrl}>`, // RFC 2369, section 3.1: how to change a subscription
    "List-Subscribe": `<${siteUrl}/subscribe>`, // section 3.3
    "List-Post": "NO", // section 3.4: a list that takes no posts
    "List-Archive": `<${siteUrl}/>`, // section 3.6
  };
}

/** RFC 2919, section 2: a name below a domain of ours, the same for ever. */
function listId(siteUrl: string): string {
  const { hostname, pathname } = new URL(siteUrl);
  const labels = pathname.split("/").reverse().concat(hostname);
  return ["changes", ...labels].map((label) => label.replace(/[^a-z0-9.-]+/gi, "-"))
    .filter((label) => /[a-z0-9]/i.test(label)).join(".");
}
