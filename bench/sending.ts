import { createTransport, type SendMailOptions } from "nodemailer";
import { readConfig } from "../lib/config/config.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { CommonLines, readMailBody } from "../lib/delivery/mail/mail_body.ts";
import { openMailer } from "../lib/delivery/mail/mailer.ts";
import type { Mail } from "../lib/delivery/mail/mail.ts";
import { toMessage } from "../lib/delivery/mail/smtp_mailer.ts";
import { Outbox } from "../lib/delivery/outbox/outbox.ts";
import { readTokenSecret } from "../lib/delivery/token_secret_sql.ts";
import { siteFor } from "../lib/roadmap/sites.ts";
import { systemClock } from "../lib/work/async.ts";
import { addSubscribers } from "./delivery.ts";
import { runCommand, startProgram } from "./servers/process.ts";
import { openScratch } from "./servers/scratch.ts";

const ITEMS = 1_083;
const MAILS = 5_000;
const CONNECTIONS = 5;
const SENDER = { name: "Roadcast", address: "roadmap@example.com" };
/** The pool always has the next mails to send. */
const QUEUED = 2 * CONNECTIONS;
/** Until nodemailer is compiled, which otherwise only the second one would find done. */
const WARM_UP_MAILS = 1_000;
const WARM_UP: Mail = {
  id: "warm-up",
  to: "",
  subject: "Warm-up",
  text: { common: new CommonLines("word ".repeat(1_000)), own: "" },
  html: { common: new CommonLines("<p>word</p>".repeat(2_000)), own: "" },
  site: {
    siteName: "Roadcast",
    siteUrl: "http://localhost",
    unsubscribeUrl: "http://localhost/unsubscribe",
    preferencesUrl: "http://localhost/preferences",
  },
  isOfList: true,
  date: new Date(),
};
/** Mails a second, beside a bare pool that sends as many of the same. */
const GOAL = 0.8;

/** Measures how fast the outbox sends, beside a bare nodemailer pool; true: the goal is reached. */
export async function benchSending(server: string): Promise<boolean> {
  await using scratch = await openScratch(ITEMS, server);
  await addSubscribers(scratch.connection, MAILS);
  await runCommand(["digest"], scratch.settings.service);
  await using sink = await startProgram(["bench/servers/smtp_sink.ts"]);
  const { port } = sink.said as { port: number };
  const url = `smtp://127.0.0.1:${port}`;
  await sendByPool(url, { message: writePlainly(WARM_UP), count: WARM_UP_MAILS });
  const { perSecond, mail } = await measureOutbox(scratch.settings.service.DATABASE_URL, url);
  const bare = await sendByPool(url, { message: writePlainly(mail), count: MAILS });
  const encoded = await sendByPool(url, { message: toMessage(mail, SENDER), count: MAILS });
  const ratio = perSecond / bare;
  console.log(
    `\n${MAILS.toLocaleString("en")} digests sent: ${perSecond.toFixed(0)} a second, a bare pool ${
      bare.toFixed(0)
    }, ratio ${ratio.toFixed(2)} (goal ${GOAL}); a pool that is given encoded mails ${
      encoded.toFixed(0)
    }`,
  );
  return ratio >= GOAL;
}

async function measureOutbox(
  databaseUrl: string,
  smtpUrl: string,
): Promise<{ perSecond: number; mail: Mail }> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    SMTP_URL: smtpUrl,
    MAIL_FROM: SENDER.address,
  });
  const database = await openDatabase(config);
  const mailer = await openMailer(config);
  let first: Mail | undefined;
  const outbox = new Outbox({
    database,
    mailer: {
      ...mailer,
      send(mail) {
        first ??= mail;
        return mailer.send(mail);
      },
    },
    clock: systemClock,
    tokenSecret: await readTokenSecret(database),
    siteName: config.SITE_NAME,
    zone: "UTC",
    siteFor: (name) => siteFor(name, config),
  });
  const started = performance.now();
  const { sent } = await outbox.sendDue();
  const seconds = (performance.now() - started) / 1000;
  outbox.close();
  await database.close();
  if (sent !== MAILS) throw new Error(`${sent} of ${MAILS} mails were sent`);
  return { perSecond: MAILS / seconds, mail: first! };
}

/** A mail as nodemailer takes it from most programs, and encodes it. */
function writePlainly(mail: Mail) {
  return {
    ...toMessage(mail, SENDER),
    text: readMailBody(mail.text),
    html: readMailBody(mail.html),
  };
}

/** Sends a message to so many receivers, and returns how many went out in a second. */
async function sendByPool(
  url: string,
  { message, count }: { message: SendMailOptions; count: number },
): Promise<number> {
  const transport = createTransport({ url, pool: true, maxConnections: CONNECTIONS });
  const started = performance.now();
  let next = 0;
  await Promise.all(Array.from({ length: QUEUED }, async () => {
    while (next < count) {
      await transport.sendMail({ ...message, to: `reader${next++}@example.com` });
    }
  }));
  const seconds = (performance.now() - started) / 1000;
  transport.close();
  return count / seconds;
}
