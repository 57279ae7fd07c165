import { readConfig } from "../../../lib/config/config.ts";
import type { Database } from "../../../lib/database/database.ts";
import { siteFor } from "../../../lib/roadmap/sites.ts";
import { acceptRequest } from "../../../lib/delivery/subscriptions/subscription_requests_sql.ts";
import { openMailer } from "../../../lib/delivery/mail/mailer.ts";
import { tryNow } from "../../../lib/delivery/outbox/mail_state_sql.ts";
import { Outbox } from "../../../lib/delivery/outbox/outbox.ts";

/** The initial time of a sender's clock. */
export const START = Date.parse("2026-07-20T12:00:00Z");

/** A sender of emails with a clock that the test sets. */
export async function startSender(
  database: Database,
  { url, timeoutMs, ...settings }: {
    url: string;
    timeoutMs?: number;
    [setting: Uppercase<string>]: string;
  },
) {
  let now = START;
  const config = readConfig({ SMTP_URL: url, MAIL_FROM: "roadmap@example.com", ...settings });
  await tryNow(database, new Date(now));
  const outbox = new Outbox({
    database,
    mailer: await openMailer(config, timeoutMs),
    clock: () => new Date(now),
    tokenSecret: "secret",
    siteName: config.SITE_NAME,
    zone: "UTC",
    siteFor: (name) => siteFor(name, config),
    connections: config.MAIL_CONNECTIONS,
    rate: config.MAIL_RATE,
  });
  return {
    send: (ending?: AbortSignal) => outbox.sendDue(ending),
    advance: (minutes: number) => now += minutes * 60_000,
    [Symbol.asyncDispose]: () => Promise.resolve(outbox.close()),
  };
}

/** Queues verification emails for these addresses, requested at the start. */
export async function request(database: Database, ...emails: string[]): Promise<void> {
  await requestAt(database, new Date(START), ...emails);
}

/** Queues verification emails for these addresses, requested at a given time. */
export async function requestAt(database: Database, now: Date, ...emails: string[]): Promise<void> {
  for (const email of emails) {
    await acceptRequest(database, {
      email,
      preferences: null,
      variant: "A",
      mailsAnHour: 1000,
      now,
    });
  }
}
