import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf, startMailServer } from "../support/servers/mail_server.ts";
import { request, requestAt, START, startSender } from "../support/subjects/sender.ts";
import { startWithMail, subscribe, subscribeAndRead } from "../support/subjects/subscribing.ts";
import { waitFor } from "../support/wait_for.ts";
import { expireLeases } from "../support/subjects/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function readMail(database: Database) {
  const [row] = await database.query<{ status: string; attempts: number }>(
    sql`select status, attempts from outbox`,
  );
  return [row!.status, row!.attempts];
}

testOnDatabases("After the clock goes back, new emails are sent immediately", async (database) => {
  await using server = await startMailServer();
  await using sender = await startSender(database, { url: server.url });
  await requestAt(database, new Date(START + HOUR), "hour@example.com");
  await requestAt(database, new Date(START + 400 * 24 * HOUR), "year@example.com");
  await sender.send();
  assertEquals(server.received.map(({ envelopeTo }) => envelopeTo[0]).sort(), [
    "hour@example.com",
    "year@example.com",
  ]);
  await sender.send();
  assertEquals(server.received.length, 2);
});

testOnDatabases(
  "After the clock goes back, a retry waits no longer than its delay",
  async (database) => {
    let refuses = true;
    await using server = await startMailServer({
      onRcptTo: (_address, _session, done) =>
        done(refuses ? Object.assign(new Error("later"), { responseCode: 451 }) : null),
    });
    await using sender = await startSender(database, { url: server.url });
    await request(database, "ann@example.com");
    await sender.send();
    sender.advance(1);
    await sender.send();
    assertEquals(await readMail(database), ["waiting", 2]);
    refuses = false;
    sender.advance(-60);
    await sender.send();
    sender.advance(1);
    await sender.send();
    assertEquals(await readMail(database), ["waiting", 2]); // two minutes have not passed
    sender.advance(1);
    await sender.send();
    assertEquals(await readMail(database), ["sent", 3]);
  },
);

testOnDatabases("An email being sent is not sent again, whatever clocks do", async (database) => {
  const arrived: (() => void)[] = [];
  await using server = await startMailServer({
    onData(stream, _session, done) {
      stream.resume();
      stream.on("end", () => arrived.push(() => done()));
    },
  });
  await using sender = await startSender(database, { url: server.url });
  await using other = await startSender(database, { url: server.url });
  await request(database, "ann@example.com");
  const sending = sender.send();
  await waitFor("the mail", () => arrived.length === 1);
  for (const minutes of [60, -120, 24 * 60]) {
    for (const process of [sender, other]) process.advance(minutes);
    await other.send();
  }
  assertEquals(await readMail(database), ["waiting", 1]);
  // Nor by the same process when the database clock jumps.
  await expireLeases(database);
  const again = sender.send();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals([arrived.length, ...await readMail(database)], [1, "waiting", 1]);
  arrived[0]!();
  await Promise.all([sending, again]);
  assertEquals([arrived.length, ...await readMail(database)], [1, "sent", 1]);
});

testOnDatabases(
  "A failure that comes late changes nothing of the next attempt",
  async (database) => {
    const arrived: ((error?: Error) => void)[] = [];
    await using server = await startMailServer({
      onData(stream, _session, done) {
        stream.resume();
        stream.on("end", () => arrived.push(done));
      },
    });
    await using sender = await startSender(database, { url: server.url });
    await using other = await startSender(database, { url: server.url });
    await request(database, "ann@example.com");
    const late = sender.send();
    await waitFor("the first attempt", () => arrived.length === 1);
    await expireLeases(database);
    const next = other.send();
    await waitFor("the second attempt", () => arrived.length === 2);
    arrived[0]!(Object.assign(new Error("No such user"), { responseCode: 550 }));
    await late;
    assertEquals(await readMail(database), ["waiting", 2]);
    arrived[1]!();
    await next;
    assertEquals(await readMail(database), ["sent", 2]);
  },
);

testOnDatabases("A lease still expires after the database clock goes back", async (database) => {
  await using server = await startMailServer();
  await using sender = await startSender(database, { url: server.url });
  await request(database, "ann@example.com");
  // Its holder is dead, and the clock was an hour ahead.
  await database.query(sql`
    update outbox set attempts = 1, leased_until = now() + interval '1 hour'
  `);
  await sender.send();
  assertEquals(server.received.length, 0);
  await expireLeases(database);
  await sender.send();
  assertEquals(server.received.length, 1);
});

testOnDatabases("A link stays valid across midnight and clock changes", async (database) => {
  await using services = await startWithMail(database);
  const { app } = services;
  app.setClock("2026-07-20T23:59:50Z");
  const link = linkOf(await subscribeAndRead(services, "ann@example.com"), "/verify-email");
  for (const seconds of [20, -3600, 2 * 3600]) {
    app.advance(seconds);
    assertEquals((await app.fetch(link, { method: "HEAD" })).status, 200);
  }
  app.advance(-2 * 3600);
  assertEquals((await app.fetch(link)).status, 200);
});

testOnDatabases("Clock jumps neither lift limits nor lock anyone out", async (database) => {
  await using services = await startWithMail(database, { VERIFICATION_LIMIT: "4" });
  const { app, mail } = services;
  const ask = async (email: string) => {
    const before = mail.received.length;
    assertEquals((await subscribe(app, { email })).status, 202);
    await app.sendMails();
    return mail.received.length - before;
  };
  app.setClock("2026-07-21T00:00:10Z");
  for (const _ of [1, 2, 3]) assertEquals(await ask("ann@example.com"), 1);
  app.setClock("2026-07-20T23:30:00Z"); // back over midnight
  assertEquals(await ask("ann@example.com"), 0);
  assertEquals(await ask("bob@example.com"), 1);
  assertEquals(await ask("eve@example.com"), 0); // four within the hour
  app.setClock("2026-07-21T00:30:00Z");
  assertEquals(await ask("ann@example.com"), 0);

  // For a moment the clock was a year ahead.
  app.setClock("2027-07-21T00:30:00Z");
  for (const _ of [1, 2, 3]) assertEquals(await ask("joe@example.com"), 1);
  await app.fetch(linkOf(mail.received.at(-1)!, "/unsubscribe"));
  assertEquals(await ask("new@example.com"), 1);
  app.setClock("2026-07-22T12:00:00Z");
  assertEquals(await ask("joe@example.com"), 1);
  assertEquals(await ask("ann@example.com"), 1);
});

testOnDatabases("Rate limit counts from a wrong clock do not last", async (database) => {
  await using services = await startWithMail(database, { SUBSCRIBE_LIMIT: "1" });
  const { app } = services;
  assertEquals((await subscribe(app, { email: "a@example.com" })).status, 202);
  assertEquals((await subscribe(app, { email: "a@example.com" })).status, 429);
  app.advance(3590);
  await app.prune();
  assertEquals((await subscribe(app, { email: "a@example.com" })).status, 429);
  app.advance(-3620); // the count was started by a process slightly ahead
  const early = await subscribe(app, { email: "a@example.com" });
  assertEquals([early.status, early.headers.get("retry-after")], [429, "3600"]);
  app.advance(-86400); // the clock was a day ahead
  assertEquals((await subscribe(app, { email: "a@example.com" })).status, 202);
  assertEquals((await subscribe(app, { email: "a@example.com" })).status, 429);
  app.advance(-86400);
  await app.prune();
  assertEquals((await subscribe(app, { email: "a@example.com" })).status, 202);
  assert((await database.query(sql`select 1 from request_counts`)).length > 0);
});
