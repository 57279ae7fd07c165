import { strictEqual as assertEquals } from "node:assert/strict";
import { readConfig } from "../../../lib/config/config.ts";
import type { Database } from "../../../lib/database/database.ts";
import { sql } from "../../../lib/database/sql.ts";
import { queueDigests, queueImmediate } from "../../../lib/delivery/digests/queue_digests.ts";
import { notifyWebhooks } from "../../../lib/delivery/webhooks/queue_webhooks.ts";
import { importItems, TODAY } from "../app.ts";
import { linkOf, type ReceivedMail } from "../servers/mail_server.ts";
import { startWithMail, subscribe } from "./subscribing.ts";

/** The time at which digests are queued. */
export const NOW = new Date(`${TODAY}T12:00:00Z`);

/** A service that sends digests to its own mail server, which accepts them by default. */
export async function startDigests(database: Database, settings: Record<string, string> = {}) {
  let refusal: { code: number; words: string; of: RegExp } | null = null;
  let duringSending: (() => Promise<unknown>) | null = null;
  const environment = { BASE_URL: "https://example.com/roadmap", ...settings };
  const services = await startWithMail(database, environment, {
    async onRcptTo({ address }, _session, done) {
      const act = duringSending;
      duringSending = null;
      await act?.();
      if (!refusal?.of.test(address)) return done();
      done(Object.assign(new Error(refusal.words), { responseCode: refusal.code }));
    },
  });
  const { mail, app } = services;
  const config = readConfig(environment);
  let now = NOW;
  const newestTo = (email: string) =>
    mail.received.findLast(({ envelopeTo }) => envelopeTo.includes(email))!;
  return {
    mail,
    app,
    newestTo,
    /** The mail server refuses recipients with this code from now on; null: it accepts them. */
    refuse: (code: number | null, words = "no", of = /@/) =>
      refusal = code === null ? null : { code, words, of },
    /** Does something while the next email is on its way. */
    duringSending: (act: () => Promise<unknown>) => duringSending = act,
    async subscribe(email: string, preferences: Record<string, unknown> = {}, path = "/roadmap") {
      assertEquals((await subscribe(app, { email, ...preferences }, {}, path)).status, 202);
      await app.sendMails();
      return newestTo(email);
    },
    async verify(email: string, preferences: Record<string, unknown> = {}, path = "/roadmap") {
      const mail = await this.subscribe(email, preferences, path);
      assertEquals((await app.fetch(linkOf(mail, "/verify-email"))).status, 200);
    },
    advance(seconds: number) {
      now = new Date(now.getTime() + seconds * 1000);
      app.advance(seconds);
    },
    /** Imports items as a server does, and queues digests for immediate subscribers. */
    async import(items: unknown, beforeItsEnd: () => Promise<unknown> = async () => {}) {
      const imported = await importItems(database, items, {
        async onChange(connection) {
          await notifyWebhooks(config, () => now)(connection);
          await beforeItsEnd();
        },
        allowMassRemoval: true,
      });
      await queueImmediate(database, { now, zone: config.DIGEST_ZONE });
      return imported;
    },
    queue: () => queueDigests(database, { now, zone: config.DIGEST_ZONE }),
    /** Queues and sends digests; returns the received emails, sorted by recipient. */
    async digest(): Promise<ReceivedMail[]> {
      await this.queue();
      return await this.send();
    },
    /** Sends due emails; returns the received ones, sorted by recipient. */
    async send(): Promise<ReceivedMail[]> {
      mail.received.length = 0;
      await app.sendMails();
      return mail.received.toSorted((a, b) => a.envelopeTo[0]! < b.envelopeTo[0]! ? -1 : 1);
    },
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

/** The names of the features that a digest lists, in its order. */
export function listedIn({ text = "" }: ReceivedMail): string[] {
  return [...text.matchAll(/^\* (.*)$(?!\n {2}- )|^ {2}- (.*)$/gm)].map(([, one, inside]) =>
    one ?? inside!
  );
}

/** The states of all digests, oldest first. */
export async function readStatuses(database: Database): Promise<string[]> {
  const rows = await database.query<{ status: string }>(sql`
    select status from outbox where kind = 'digest' order by created_at
  `);
  return rows.map(({ status }) => status);
}
