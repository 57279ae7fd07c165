import { createTransport } from "nodemailer";
import parseAddresses from "nodemailer/lib/addressparser";
import { isLoopback } from "../../http/checked_addresses.ts";
import { listHeaders } from "./list_headers.ts";
import { encodePart } from "./mail_body.ts";
import { type Mail, type Mailer, MailRefused, reasonOf } from "./mail.ts";

/** Sends mails to the server of SMTP_URL, over five connections at most. */
export function openSmtp(
  { url, from }: { url: string; from: string },
  { siteName, timeoutMs }: { siteName: string; timeoutMs: number },
): Mailer {
  const sender = parseSender(from, siteName);
  // Over several silences: a server that answers a little each time is given up as well.
  const maxMs = timeoutMs * 3;
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    // Our outbox repeats what failed; a repetition unknown to it might send a mail twice.
    maxRequeues: 0,
    requireTLS: needsTls(new URL(url)),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    outcome: "sent",
    maxMs,
    async send(mail) {
      // The timer ends with the mail: AbortSignal.timeout keeps each for a minute.
      const tooLong = new AbortController();
      const timer = setTimeout(() => tooLong.abort(), maxMs);
      try {
        await transport.sendMail({ ...toMessage(mail, sender), signal: tooLong.signal });
      } catch (error) {
        throw toRefusal(error) ?? error;
      } finally {
        clearTimeout(timer);
      }
    },
    verify: async () => void await transport.verify(),
    close: () => transport.close(),
  };
}

/** A mail with its headers, as nodemailer takes it. */
export function toMessage(
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

/** A password must not travel in the clear because a proxy on the way removed STARTTLS. */
function needsTls({ protocol, password, hostname, searchParams }: URL): boolean {
  if (searchParams.has("requireTLS")) return searchParams.get("requireTLS") === "true";
  return protocol === "smtp:" && password !== "" && !isLoopback(hostname) &&
    !searchParams.has("ignoreTLS");
}

/**
 * RFC 5321, section 4.2.1: 5yz is a permanent refusal. Before the mail itself is spoken of
 * (greeting, TLS, authentication) it is about our settings, which an operator may fix; and
 * section 4.5.3.1.10 has 552 after RCPT taken for 452, a mailbox without room. RFC 3463, section
 * 3.8: 5.7 is about policy, as where our network is blocked, and says nothing about the mailbox.
 */
function toRefusal(error: unknown): MailRefused | null {
  const { responseCode = 0, response = "", command = "" } = error as {
    responseCode?: number;
    response?: string;
    command?: string;
  };
  const isToReceiver = command.startsWith("RCPT TO");
  if (responseCode < 500 || !/^(MAIL FROM|RCPT TO|DATA)/.test(command)) return null;
  if (isToReceiver && responseCode === 552) return null;
  const isOfReceiver = isToReceiver && !/^5\d\d[ -]5\.7\./.test(response);
  return new MailRefused(reasonOf(error), { cause: error, isOfReceiver });
}
