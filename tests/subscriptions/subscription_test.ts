import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import {
  startWithMail,
  stateOf,
  STORED_LISTS,
  subscribe,
  subscribeAndRead,
} from "../support/subjects/subscribing.ts";

testOnDatabases("A subscription goes from new to verified to unsubscribed", async (database) => {
  await using services = await startWithMail(database, { SITE_NAME: "Road & Map" });
  const { app } = services;
  const asked = await subscribe(app, {
    email: " Ann+News@Example.COM ",
    products: ["A", "B", "A"],
    types: [],
  });
  assertEquals(asked.status, 202);
  assertEquals(asked.headers.get("cache-control"), "no-store");
  assertEquals((await asked.json()).status, "accepted");
  assertEquals(await stateOf(database, "ann+news@example.com"), "unverified");
  await app.sendMails();
  const [mail] = services.mail.received;
  assertEquals(mail!.envelopeTo, ["ann+news@example.com"]);

  const verified = await app.fetch(linkOf(mail!, "/verify-email"));
  assertEquals(verified.status, 200);
  assertEquals(verified.headers.get("cache-control"), "no-store");
  assertEquals(verified.headers.get("referrer-policy"), "no-referrer");
  assertEquals(verified.headers.get("content-type"), "text/html; charset=utf-8");
  const page = await verified.text();
  match(page, /<h1>You’re subscribed<\/h1>/);
  match(page, /<strong>ann\+news@example\.com<\/strong>/);
  assertEquals(await stateOf(database, "ann+news@example.com"), "verified");
  const [stored] = await database.query(sql`select ${STORED_LISTS} from subscriptions`);
  assertEquals(stored, { products: ["A", "B"], types: [], statuses: [] });

  const again = await app.fetch(linkOf(mail!, "/verify-email"));
  assertEquals(again.status, 200);
  assertEquals(await again.text(), page);

  const onPage = /href="(\/unsubscribe\?token=[\w-]+)"/.exec(page)![1]!;
  assertEquals(new URL(linkOf(mail!, "/unsubscribe")).search, new URL(onPage, "http://x").search);
  const unsubscribed = await app.fetch(onPage);
  assertEquals(unsubscribed.status, 200);
  assertEquals(unsubscribed.headers.get("cache-control"), "no-store");
  assertEquals(unsubscribed.headers.get("referrer-policy"), "no-referrer");
  const unsubscribedPage = await unsubscribed.text();
  match(unsubscribedPage, /<h1>You are unsubscribed<\/h1>/);
  match(unsubscribedPage, /<strong>a…s@example\.com<\/strong> won’t get any more/);
  assertEquals(await stateOf(database, "ann+news@example.com"), "unsubscribed");
  assertEquals(await (await app.fetch(onPage)).text(), unsubscribedPage);

  const old = await app.fetch(linkOf(mail!, "/verify-email"));
  assertEquals(old.status, 404);
  assertEquals(await stateOf(database, "ann+news@example.com"), "unsubscribed");
  const fresh = await subscribeAndRead(services, "ann+news@example.com");
  assertEquals(await stateOf(database, "ann+news@example.com"), "unverified");
  await app.fetch(linkOf(fresh, "/verify-email"));
  assertEquals(await stateOf(database, "ann+news@example.com"), "verified");
});

testOnDatabases("A new request leaves verified preferences unchanged", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  await subscribe(app, { email: "a@example.com", products: ["Mine"] });
  await app.sendMails();
  await app.fetch(linkOf(services.mail.received[0]!, "/verify-email"));
  await subscribe(app, { email: "a@example.com", products: ["Theirs"] });
  const [stored] = await database.query(
    sql`select state, filter -> 'product_name' as products from subscriptions`,
  );
  assertEquals(stored, { state: "verified", products: ["Mine"] });
});

testOnDatabases("Concurrent requests create one subscription", async (database) => {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  const responses = await Promise.all(
    Array.from({ length: 12 }, () => subscribe(app, { email: "a@example.com" })),
  );
  assertEquals(new Set(responses.map(({ status }) => status)), new Set([202]));
  const rows = await database.query(sql`select state from subscriptions`);
  assertEquals([...rows], [{ state: "unverified" }]);
  await app.sendMails();
  assertEquals(mail.received.length, 1); // two were superseded before they were sent
});

testOnDatabases("The database refuses invalid transitions", async (database) => {
  const insert = (state: string) =>
    database.query(sql`
      insert into subscriptions (email, variant, requested_at, state)
      values ('a@example.com', 'A', now(), ${state})
    `);
  const failure = await insert("verified").catch(String);
  match(String(failure), /A new subscription is unverified, not verified/);
  await insert("unverified");
  const change = (state: string) =>
    database.query(sql`
      update subscriptions
      set state = ${state}, verified_at = now(), unsubscribed_at = now()
      where email = 'a@example.com'
    `);
  await change("verified");
  match(
    String(await change("unverified").catch(String)),
    /does not go from verified to unverified/,
  );
  await change("unsubscribed");
  match(
    String(await change("verified").catch(String)),
    /does not go from unsubscribed to verified/,
  );
  match(String(await change("asleep").catch(String)), /check|transition|does not go/);
});

testOnDatabases("A link expires after 24 hours, and on a newer request", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  const first = await subscribeAndRead(services, "a@example.com");
  app.advance(60);
  const second = await subscribeAndRead(services, "a@example.com");
  const ended = await app.fetch(linkOf(first, "/verify-email"));
  assertEquals(ended.status, 404);
  assertEquals(ended.headers.get("referrer-policy"), "no-referrer");
  const page = await ended.text();
  match(page, /<h1>This link no longer works<\/h1>/);
  match(page, /<form [^>]*method="post" action="\/new-link">/);
  app.advance(24 * 3600);
  assertEquals((await app.fetch(linkOf(second, "/verify-email"))).status, 404);
  assertEquals(await stateOf(database, "a@example.com"), "unverified");
  const third = await subscribeAndRead(services, "a@example.com");
  app.advance(24 * 3600 - 1);
  assertEquals((await app.fetch(linkOf(third, "/verify-email"))).status, 200);
});

testOnDatabases("An address gets at most three emails a day", async (database) => {
  await using services = await startWithMail(database);
  const { app, mail } = services;
  for (let request = 0; request < 5; request++) {
    const response = await subscribe(app, { email: "a@example.com", products: [String(request)] });
    assertEquals(response.status, 202);
    await app.sendMails();
    app.advance(60);
  }
  assertEquals(mail.received.length, 3);
  // Requests without an email void no link; the newest link has the newest preferences.
  assertEquals((await app.fetch(linkOf(mail.received[2]!, "/verify-email"))).status, 200);
  const [stored] = await database.query(
    sql`select filter -> 'product_name' as products from subscriptions`,
  );
  assertEquals(stored, { products: ["4"] });
  await app.fetch(linkOf(mail.received[2]!, "/unsubscribe"));
  await subscribe(app, { email: "a@example.com" });
  await app.sendMails();
  assertEquals(mail.received.length, 3);
  app.advance(24 * 3600);
  await subscribe(app, { email: "a@example.com" });
  await app.sendMails();
  assertEquals(mail.received.length, 4);
});

testOnDatabases("Metrics count emails that wait or failed", async (database) => {
  await using services = await startWithMail(database);
  const readCounts = async () => {
    const text = await (await services.app.fetch("/metrics")).text();
    return [...text.matchAll(/^roadcast_outbox_mails\{status="(\w+)"\} (\d+)$/gm)].map((
      [, status, count],
    ) => `${count} ${status}`).join(", ");
  };
  assertEquals(await readCounts(), "0 waiting, 0 failed");
  await subscribeAndRead(services, "a@example.com");
  await subscribe(services.app, { email: "b@example.com" });
  await subscribe(services.app, { email: "c@example.com" });
  await database.query(sql`update outbox set status = 'failed' where status = 'waiting'`);
  await subscribe(services.app, { email: "d@example.com" });
  assertEquals(await readCounts(), "1 waiting, 2 failed");
});
