import { Mailer } from "./mail.ts";
import { getLogger } from "@logtape/logtape";
import type { Config } from "../../config/config.ts";
import { AccessTokens } from "../../http/outgoing/access_tokens.ts";
import { readMailBody } from "./mail_body.ts";

const log = getLogger(["roadcast", "mail"]);

/** How long a mail server may be silent, in milliseconds. */
const TIMEOUT_MS = 20_000;

/**
 * Makes the way on which mails go: to the server of SMTP_URL, or into the log.
 *
 * @param timeoutMs how long the server may be silent
 * @param maxMs how long a mail may take, over several silences
 */
export async function openMailer(
  { smtp, mailOauth, SITE_NAME: siteName, MAIL_CONNECTIONS: connections, BASE_URL: baseUrl }:
    Config,
  timeoutMs = TIMEOUT_MS,
  maxMs = timeoutMs * 3,
): Promise<Mailer> {
  if (smtp === null) return LOG_MAILER;
  // Its client library takes 8 MB.
  const { openSmtp } = await import("./smtp_mailer.ts");
  const tokens = mailOauth && new AccessTokens(mailOauth);
  return openSmtp({ ...smtp, tokens, connections, baseUrl }, { siteName, timeoutMs, maxMs });
}

/** For a newcomer, who has no mail server yet and wants to follow the link. */
const LOG_MAILER: Mailer = {
  outcome: "logged",
  maxMs: 0,
  // deno-lint-ignore require-await
  async send({ to, subject, text }) {
    const mail = `To: ${to}\nSubject: ${subject}\n\n${readMailBody(text)}`;
    // As part of the message it keeps its lines; braces in it are no placeholders.
    log.info(
      `SMTP_URL is not set, so this email is not sent:\n\n${mail.replace(/[{}]/g, "$&$&")}`,
    );
  },
  verify: () => Promise.resolve(null),
  close() {},
};
