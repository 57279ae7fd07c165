import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { retryMails } from "../../lib/delivery/outbox/outbox_sql.ts";
import { sql } from "../../lib/database/sql.ts";
import { loadSample } from "../../lib/import/sample/sample.ts";
import { importItems, makeItem, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { linkOf } from "../support/servers/mail_server.ts";
import { listedIn, NOW, readStatuses, startDigests } from "../support/subjects/digests.ts";
import { postForm } from "../support/subjects/subscribing.ts";
import { slowOnDatabases } from "../support/slow.ts";

slowOnDatabases("Concurrent runs queue each email once", async (database) => {
  await using services = await startDigests(database);
  const emails = Array.from({ length: 8 }, (_, number) => `a${number}@example.com`);
  for (const email of emails) await services.verify(email);
  await importItems(database, [makeItem(1)]);
  const runs = await Promise.all([services.queue(), services.queue(), services.queue()]);
  assertEquals(runs.reduce((sum, { queued }) => sum + queued, 0), emails.length);
  assertEquals((await readStatuses(database)).length, emails.length);
  services.mail.received.length = 0;
  await Promise.all([services.app.sendMails(), services.app.sendMails()]);
  assertEquals(services.mail.received.map(({ envelopeTo }) => envelopeTo[0]).sort(), emails);
});

testOnDatabases(
  "A digest is made when it is sent, and the next has later changes",
  async (database) => {
    await using services = await startDigests(database);
    await services.verify("ann@example.com", { statuses: ["Planned"] });
    await importItems(database, [makeItem(1), makeItem(2)]);
    await services.queue();
    await importItems(database, [
      makeItem(1, { release_status: "Launched" }),
      makeItem(2, { feature_name: "New name" }),
    ]);
    await services.app.sendMails();
    assertEquals(listedIn(services.newestTo("ann@example.com")), ["New name"]);
    assertEquals(await services.digest(), []);
    await importItems(database, [
      makeItem(1, { release_status: "Launched" }),
      makeItem(2, { feature_name: "Newer name" }),
    ]);
    const [mail] = await services.digest();
    assertEquals(listedIn(mail!), ["Newer name"]);
    assert(!mail!.text!.includes("Roadmap Item Added"));
  },
);

slowOnDatabases("Digests include the first real import after the sample", async (database) => {
  await using services = await startDigests(database);
  await loadSample(database, TODAY);
  await services.verify("ann@example.com");
  assertEquals((await services.queue()).queued, 0);
  await importItems(database, [makeItem(1)]);
  const [mail] = await services.digest();
  assertEquals(listedIn(mail!), ["Feature 1"]);
});

testOnDatabases("A digest is retried when asked to", async (database) => {
  await using services = await startDigests(database);
  const retry = () => retryMails(database, { mailId: null, now: NOW });
  await services.verify("ann@example.com");
  await importItems(database, [makeItem(1)]);
  services.refuse(451);
  assertEquals((await services.digest()).length, 0);
  assertEquals(await readStatuses(database), ["waiting"]);
  services.refuse(null);
  // It waits for its second attempt, whatever joins it.
  await importItems(database, [makeItem(1), makeItem(2)]);
  assertEquals([await services.digest(), await readStatuses(database)], [[], ["waiting"]]);
  assertEquals(await retry(), 1);
  assertEquals((await services.send()).map(listedIn), [["Feature 1", "Feature 2"]]);
  assertEquals([await retry(), await readStatuses(database)], [0, ["sent"]]);
});

testOnDatabases("A waiting digest whose changes were undone is not sent", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [makeItem(1)]);
  await services.verify("ann@example.com", { cadence: "immediate" });
  services.refuse(451);
  await services.import([makeItem(1, { feature_name: "New name" })]);
  assertEquals(await services.send(), []);
  services.refuse(null);
  await services.import([makeItem(1)]);
  services.advance(60);
  assertEquals(await services.send(), []);
  assertEquals(await readStatuses(database), []);
});

testOnDatabases("Nothing is sent of what a saved choice leaves out", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com", { cadence: "immediate" });
  const token = new URL(linkOf(services.newestTo("ann@example.com"), "/preferences")).searchParams
    .get("token")!;
  const save = (products: string) =>
    postForm(services.app, "/roadmap/preferences", { token, cadence: "immediate", products });
  await services.import([
    makeItem(1, { product_name: "Maps" }),
    makeItem(2, { product_name: "Mail" }),
  ]);
  const changes = [makeItem(1, { product_name: "Maps", feature_name: "Routes" })];
  services.refuse(451);
  assertEquals(await services.send(), []);
  services.refuse(null);
  await save("None of them");
  services.advance(60);
  assertEquals(await services.send(), []);
  assertEquals(await readStatuses(database), []);
  // It was dealt with: who covers more again gets what changes from now on.
  await save("Maps");
  assertEquals(await services.digest(), []);
  await importItems(database, changes, { partial: true });
  assertEquals((await services.digest()).map(listedIn), [["Routes"]]);
});

testOnDatabases(
  "What comes while a digest is being sent hurries nobody else's",
  async (database) => {
    await using services = await startDigests(database);
    await services.verify("ann@example.com", { cadence: "immediate" });
    await services.verify("bob@example.com", { cadence: "weekly" });
    await services.import([makeItem(1)]);
    services.duringSending(() => services.import([makeItem(1), makeItem(2)]));
    const receivers = (await services.send()).map(({ envelopeTo }) => envelopeTo[0]);
    assertEquals(receivers, ["ann@example.com", "ann@example.com"]);
    const [weekly] = await services.digest();
    assertEquals([weekly!.envelopeTo[0], listedIn(weekly!).length], ["bob@example.com", 2]);
  },
);

testOnDatabases("An earlier change of a chosen kind sends no later digest", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, [makeItem(1)]);
  await services.verify("ann@example.com", { kind: ["shipped"] });
  const shipped = { release_status: "Shipped" };
  await importItems(database, [makeItem(1, shipped)]);
  assertEquals((await services.digest()).map(listedIn), [["Feature 1"]]);
  await importItems(database, [makeItem(1, { ...shipped, feature_name: "New name" })]);
  assertEquals(await services.digest(), []);
});

testOnDatabases("What is saved counts for a digest that waits", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com", { cadence: "immediate" });
  const token = new URL(linkOf(services.newestTo("ann@example.com"), "/preferences")).searchParams
    .get("token")!;
  const save = (form: Record<string, string>) =>
    postForm(services.app, "/roadmap/preferences", { token, cadence: "immediate", ...form });
  const items = [makeItem(1, { product_name: "Maps" }), makeItem(2, { product_name: "Mail" })];
  services.refuse(451);
  await services.import(items);
  assertEquals(await services.send(), []);
  // It waits; its owner takes a product off.
  assertEquals((await save({ products: "Maps" })).status, 200);
  services.refuse(null);
  services.advance(60);
  assertEquals((await services.send()).map(listedIn), [["Feature 1"]]);
  assertEquals(await services.digest(), []);
  // One that is on its way is finished, and nothing is told twice.
  await services.import([...items, makeItem(3, { product_name: "Maps" })]);
  services.duringSending(() => save({ products: "Mail" }));
  assertEquals((await services.send()).map(listedIn), [["Feature 3"]]);
  assertEquals(await services.digest(), []);
  // Without a digest that waits, saving queues none.
  await importItems(database, [...items, makeItem(4, { product_name: "Mail" })], { partial: true });
  await save({ products: "Mail" });
  assertEquals(await services.send(), []);
  assertEquals((await services.digest()).map(listedIn), [["Feature 4"]]);
});

testOnDatabases(
  "A link to the preferences does not wait until a list is sent",
  async (database) => {
    await using services = await startDigests(database);
    const emails = Array.from({ length: 90 }, (_, number) => `a${number}@example.com`);
    for (const email of emails) await services.verify(email);
    await importItems(database, [makeItem(1)]);
    await services.queue();
    services.duringSending(() =>
      services.app.fetch("/roadmap/api/send-preferences-link", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email: "a0@example.com" }),
      })
    );
    services.mail.received.length = 0;
    await services.app.sendMails();
    const order = services.mail.received.map(({ subject }) => subject ?? "");
    const place = order.findIndex((subject) => !subject.includes("Feature 1"));
    assert(place >= 0 && place < 60, `it came as number ${place + 1} of ${order.length}`);
  },
);

slowOnDatabases("Verification emails are sent before digests", async (database) => {
  // Over several connections the first one may be the last to arrive.
  await using services = await startDigests(database, { MAIL_CONNECTIONS: "1" });
  for (let number = 0; number < 15; number++) await services.verify(`a${number}@example.com`);
  await importItems(database, [makeItem(1)]);
  await services.queue();
  services.mail.received.length = 0;
  services.app.advance(60);
  await services.subscribe("new@example.com");
  const order = services.mail.received.map(({ envelopeTo }) => envelopeTo[0]!);
  assertEquals(order.length, 16);
  assertEquals(order.indexOf("new@example.com"), 0);
});

testOnDatabases("Digests do not count toward the verification email limit", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com");
  const leave = linkOf(services.newestTo("ann@example.com"), "/unsubscribe");
  const items: Record<string, unknown>[] = [];
  for (const number of [1, 2, 3]) {
    items.push(makeItem(number));
    await importItems(database, items);
    assertEquals((await services.digest()).length, 1);
  }
  await services.app.fetch(leave);
  services.mail.received.length = 0;
  await services.subscribe("ann@example.com");
  assertEquals(services.mail.received.length, 1);
  const [{ tokens } = { tokens: -1 }] = await database.query<{ tokens: number }>(sql`
    select count(*)::int as tokens from verification_tokens
  `);
  assertEquals(tokens, 2); // digests create no verification tokens
});
