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
  assertEquals([old.status, old.headers.get("referrer-policy")], [404, "no-referrer"]);
  const oldPage = await old.text();
  match(oldPage, /<h1>This link no longer works<\/h1>/);
  match(oldPage, /<form [^>]*method="post" action="\/new-link">/);
  assertEquals(await stateOf(database, "ann+news@example.com"), "unsubscribed");
  const fresh = await subscribeAndRead(services, "ann+news@example.com");
  assertEquals(await stateOf(database, "ann+news@example.com"), "unverified");
  await app.fetch(linkOf(fresh, "/verify-email"));
  assertEquals(await stateOf(database, "ann+news@example.com"), "verified");
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
