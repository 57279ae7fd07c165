import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  postForm,
  startWithMail,
  stateOf,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";
import { slowOnDatabases } from "../support/slow.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;
const ANN = "ann@example.com";

type WithMail = Awaited<ReturnType<typeof startWithMail>>;

/** Subscribes several times in a row and returns the number of emails sent. */
async function countMails({ app, mail }: WithMail, times: number, email = ANN): Promise<number> {
  const before = mail.received.length;
  for (let request = 0; request < times; request++) {
    assertEquals((await subscribe(app, { email })).status, 202);
    await app.sendMails();
    app.advance(60);
  }
  return mail.received.length - before;
}

function newestLink({ mail }: WithMail, path: string): string {
  return linkOf(mail.received.at(-1)!, path);
}

async function productsOf(database: Database, email = ANN) {
  const [row] = await database.query<{ state: string; products: string[] }>(
    sql`select state, filter -> 'product_name' as products from subscriptions where email = ${email}`,
  );
  return row && [row.state, ...row.products];
}

testOnDatabases("Unsubscribed addresses get one email a day until verified", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  await app.fetch(linkOf(await subscribeAndRead(services, ANN), "/unsubscribe"));
  assertEquals(await countMails(services, 4), 1);
  // Unsubscribing again does not allow another email.
  await app.fetch(newestLink(services, "/unsubscribe"));
  assertEquals(await countMails(services, 2), 0);
  assertEquals((await postForm(app, "/new-link", { email: ANN })).status, 202);
  await app.sendMails();
  assertEquals(services.mail.received.length, 2);
  for (const _ of [1, 2, 3]) {
    app.advance(DAY);
    assertEquals(await countMails(services, 2), 1);
  }
  await app.fetch(newestLink(services, "/verify-email"));
  assertEquals(await stateOf(database, ANN), "verified");
  // Verifying clears the limit: after unsubscribing again, an email is sent at once.
  await app.fetch(newestLink(services, "/unsubscribe"));
  assertEquals(await countMails(services, 1), 1);
});

testOnDatabases("Unsubscribing is remembered until the address is verified", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  await app.fetch(linkOf(await subscribeAndRead(services, ANN), "/unsubscribe"));
  app.advance(DAY);
  assertEquals(await countMails(services, 1), 1);
  app.advance(31 * DAY);
  await app.prune();
  assertEquals(await stateOf(database, ANN), "unsubscribed");
  assertEquals(await countMails(services, 3), 1);
});

slowOnDatabases("All aliases of a mailbox together get three emails a day", async (database) => {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  const aliases = Array.from({ length: 40 }, (_, number) => `ann+${number}@example.com`);
  const answers = await Promise.all(aliases.map((email) => subscribe(app, { email })));
  assertEquals(new Set(answers.map(({ status }) => status)), new Set([202]));
  await app.sendMails();
  assertEquals(mail.received.length, 3);
  assertEquals(await countMails(services, 1), 0);
  assertEquals(await countMails(services, 1, "ann+@example.com"), 0);
  // Addresses that only look similar are not aliases.
  for (const other of ["+ann@example.com", "annette@example.com", "ann+x@example.org"]) {
    assertEquals(await countMails(services, 1, other), 1, other);
  }
  // Each alias has its own subscription.
  const [first, second] = mail.received;
  await app.fetch(linkOf(first!, "/verify-email"));
  assertEquals(await stateOf(database, first!.envelopeTo[0]!), "verified");
  assertEquals(await stateOf(database, second!.envelopeTo[0]!), "unverified");
  app.advance(DAY);
  assertEquals(await countMails(services, 4), 3);
});

testOnDatabases(
  "Gmail delivers addresses with and without dots to one mailbox",
  async (database) => {
    await using services = await startWithMail(database);
    const { app, mail } = services;
    const aliases = [
      "johnsmith@gmail.com",
      "john.smith@gmail.com",
      "j.o.h.n.smith+x.y@googlemail.com",
    ];
    for (const email of [...aliases, "johns.mith@googlemail.com", "john.smith+z@gmail.com"]) {
      assertEquals((await subscribe(app, { email })).status, 202);
    }
    await app.sendMails();
    // Several are sent at once.
    const receivers = mail.received.map(({ envelopeTo }) => envelopeTo[0]);
    assertEquals(receivers.toSorted(), aliases.toSorted());
    for (
      const other of [
        "john.smith@example.com",
        "johnsmith@example.com",
        "john.smith@gmail.example.com",
      ]
    ) {
      assertEquals(await countMails(services, 1, other), 1, other);
    }
  },
);

testOnDatabases("Unsubscribing one alias of a mailbox counts for all", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  await app.fetch(linkOf(await subscribeAndRead(services, "ann+x@example.com"), "/unsubscribe"));
  app.advance(DAY);
  assertEquals(await countMails(services, 1, "ann+y@example.com"), 1);
  assertEquals(await countMails(services, 1, "ann+z@example.com"), 0);
  assertEquals(await countMails(services, 1, "ann+x@example.com"), 0);
  app.advance(DAY);
  assertEquals(await countMails(services, 1, "ann+x@example.com"), 1);
  await app.fetch(newestLink(services, "/verify-email"));
  assertEquals(await countMails(services, 2, "ann+z@example.com"), 2);
});

testOnDatabases("Verification emails are limited across all clients", async (database) => {
  await using log = await recordLog();
  await using services = await startWithMail(database, { VERIFICATION_LIMIT: "3" });
  const { app } = services;
  assertEquals(await countMails(services, 2, "a@example.com"), 2);
  assertEquals(log.lines.filter((line) => line.includes("VERIFICATION_LIMIT")), []);
  assertEquals(await countMails(services, 1, "b@example.com"), 1);
  assertEquals(await countMails(services, 3, "c@example.com"), 0);
  const warnings = log.lines.filter((line) => line.includes("VERIFICATION_LIMIT"));
  assertEquals(warnings.length, 1);
  match(warnings[0]!, /^warning VERIFICATION_LIMIT reached: 3 verification emails within an hour/);
  // Existing links still work.
  await app.fetch(newestLink(services, "/verify-email"));
  assertEquals(await stateOf(database, "b@example.com"), "verified");
  app.advance(HOUR);
  assertEquals(await countMails(services, 1, "c@example.com"), 1);
});

testOnDatabases(
  "A link applies the newest preferences, even if they sent no email",
  async (database) => {
    await using services = await startWithMail(database);
    const { app } = services;
    const ask = async (...products: string[]) => {
      await subscribe(app, { email: ANN, products });
      await app.sendMails();
    };
    // Others use up the email limit before the person's own request.
    for (const theirs of ["x1", "x2", "x3"]) await ask(theirs);
    await ask("Mine");
    assertEquals(services.mail.received.length, 3);
    assertEquals((await postForm(app, "/new-link", { email: ANN })).status, 202); // without preferences
    const verify = newestLink(services, "/verify-email");
    assertEquals((await app.fetch(verify)).status, 200);
    assertEquals(await productsOf(database), ["verified", "Mine"]);
    // Others cannot change verified preferences, neither today nor once the limit resets.
    await ask("x4");
    assertEquals(services.mail.received.length, 3);
    app.advance(DAY);
    for (const theirs of ["x5", "x6", "x7", "x8"]) await ask(theirs);
    assertEquals((await app.fetch(verify)).status, 200);
    assertEquals(await productsOf(database), ["verified", "Mine"]);
    assertEquals(services.mail.received.length, 6, "three mails a day that lead to preferences");
  },
);
