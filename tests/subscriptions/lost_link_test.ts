import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import type { TestApp } from "../support/app.ts";
import { recordStatements } from "../support/record_statements.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { readPage } from "../support/pages.ts";
import {
  postForm,
  startWithMail,
  stateOf,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";

const ANN = "ann@example.com";
const PATH = "/api/send-preferences-link";

function ask(app: TestApp, email: unknown) {
  return app.fetch(PATH, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email }),
  });
}

/** A service with one verified address and no emails waiting. */
async function startVerified(database: Database, settings: Record<string, string> = {}) {
  const services = await startWithMail(database, settings);
  const { app, mail } = services;
  await app.fetch(linkOf(await subscribeAndRead(services, ANN), "/verify-email"));
  app.advance(24 * 3600); // the verification email no longer counts
  mail.received.length = 0;
  return services;
}

testOnDatabases(
  "A lost link is sent, with the same response and statements for any address",
  async (database) => {
    const { database: recorded, texts } = recordStatements(database);
    await using services = await startVerified(recorded);
    const { app, mail } = services;
    await subscribe(app, { email: "new@example.com" });
    const gone = await subscribeAndRead(services, "gone@example.com");
    await app.fetch(linkOf(gone, "/unsubscribe"));
    mail.received.length = 0;
    const answers = new Set<string>();
    const statements = new Set<string>();
    for (const name of ["Ann", "new", "gone", "nobody"]) {
      texts.length = 0;
      const response = await ask(app, `${name}@example.com`);
      // The look for newer data comes by the clock.
      statements.add(texts.filter((text) => !text.includes("select data_version")).join("\n"));
      const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
      answers.add(JSON.stringify([response.status, headers, await response.text()]));
    }
    assertEquals([answers.size, statements.size], [1, 1]);
    match([...answers][0]!, /^\[202,.*"no-store".*If this address is subscribed, an email/);
    match([...statements][0]!, /subscriptions[^]*insert into outbox/);
    assertEquals(await stateOf(database, "nobody@example.com"), undefined);
    await app.sendMails();
    const [sent] = mail.received;
    assertEquals(mail.received.map(({ envelopeTo }) => envelopeTo), [[ANN]]);
    match(sent!.subject!, /^Your link to Roadcast$/);
    const preferences = await app.fetch(linkOf(sent!, "/preferences"));
    assertEquals(preferences.status, 200);
    match(await preferences.text(), /ann@example\.com/);
    // A mailbox gets at most three a day; more run the same statements, too.
    for (const count of [2, 3, 3, 3]) {
      texts.length = 0;
      assertEquals((await ask(app, ANN)).status, 202);
      statements.add(texts.filter((text) => !text.includes("select data_version")).join("\n"));
      await app.sendMails();
      app.advance(60);
      assertEquals([mail.received.length, statements.size], [count, 1]);
    }
    app.advance(24 * 3600);
    assertEquals((await ask(app, ANN)).status, 202);
    await app.sendMails();
    assertEquals(mail.received.length, 4);
  },
);

testOnDatabases("Lost link requests count toward the subscribe limits", async (database) => {
  await using services = await startVerified(database, {
    SUBSCRIBE_LIMIT: "3",
    VERIFICATION_LIMIT: "1",
  });
  const { app, mail } = services;
  assertEquals((await ask(app, "ann")).status, 400); // does not count
  assertEquals((await subscribe(app, { email: "bob@example.com" })).status, 202);
  assertEquals((await ask(app, "eve@example.com")).status, 202);
  assertEquals((await ask(app, ANN)).status, 202);
  const refused = await ask(app, ANN);
  assertEquals([refused.status, refused.headers.has("retry-after")], [429, true]);
  await app.sendMails();
  assertEquals(mail.received.map(({ envelopeTo }) => envelopeTo), [["bob@example.com"]]);
});

testOnDatabases("Lost link requests accept forms, and report mistakes", async (database) => {
  await using services = await startVerified(database);
  const { app, mail } = services;
  const form = await postForm(app, PATH, { email: ANN });
  assertEquals([form.status, (await form.json()).status], [202, "accepted"]);
  await app.sendMails();
  assertEquals(mail.received.length, 1);
  for (const email of [undefined, "", "ann", 5, "a@b@c"]) {
    const wrong = await ask(app, email);
    assertEquals([email, wrong.status], [email, 400]);
    assertEquals((await wrong.json()).errors[0].name, "email");
  }
  const post = (type: string, body: string) =>
    app.fetch(PATH, { method: "POST", headers: { "Content-Type": type }, body });
  assertEquals((await post("application/json", '"ann"')).status, 400);
  assertEquals((await post("application/json", "{")).status, 400);
  assertEquals((await post("text/plain", ANN)).status, 415);
  assertEquals((await post("application/json", "x".repeat(40_000))).status, 413);
  assertEquals((await app.fetch(PATH)).status, 405);
  assertEquals((await app.fetch(PATH, { method: "POST", headers: FOREIGN })).status, 403);
});

const FOREIGN = { "Sec-Fetch-Site": "cross-site" };

testOnDatabases("Pages have a form for a lost link", async (database) => {
  await using services = await startVerified(database, { BASE_URL: "https://example.com/road" });
  const { app, mail } = services;
  const action = /<form class="link-form" method="post" action="(\/road\/send-preferences-link)">/;
  for (const path of ["/road/preferences?token=x", "/road/unsubscribe?token=x"]) {
    match(await readPage(app, path, 404), action);
  }
  const [, path] = action.exec(await readPage(app, "/road/subscribe"))!;
  const sent = await postForm(app, path!, { email: ANN });
  assertEquals([sent.status, sent.headers.get("cache-control")], [202, "no-store"]);
  match(
    await sent.text(),
    /<h1>Check your inbox<\/h1>.*If this address is subscribed, we’ve just sent/s,
  );
  await app.sendMails();
  assertEquals(mail.received.length, 1);
  const wrong = await postForm(app, path!, { email: "ann" });
  assertEquals(wrong.status, 400);
  match(await wrong.text(), /id="email-mistake">The address must have an @/);
});
