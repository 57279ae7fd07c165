import { deepStrictEqual as assertEquals, match, ok as assert, rejects } from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { sql } from "../../lib/database/sql.ts";
import { enableWebhook } from "../../lib/delivery/webhooks/webhooks_sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { resolveByMachine } from "../../lib/http/outgoing/checked_addresses.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";
import { expireLeases } from "../support/subjects/clock.ts";
import { slowOnDatabases } from "../support/slow.ts";

const MINUTE = 60_000;

testOnDatabases("An import is sent once, signed, with the changes of the API", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  const { secret } = await webhooks.add(`${receiver.url}/hook?key=1`);
  await webhooks.import([makeItem(1, { release_status: "Shipped" }), makeItem(2), makeItem(4)]);
  await webhooks.send();
  await webhooks.send();
  const [told, ...others] = receiver.received;
  assertEquals(others, []);
  assertEquals(told!.path, "/hook?key=1");
  assertEquals(told!.headers["content-type"], "application/json");
  // The library refuses messages over five minutes old, which those of the test clock may be.
  const verified = verifyAt(told!, secret!);
  assertEquals(Object.keys(verified), ["type", "timestamp", "data"]);
  assertEquals([verified.type, verified.timestamp], [
    "roadmap.changed",
    "2026-07-20T12:00:00.000Z",
  ]);
  const { changes, more, changes_url } = verified.data;
  assertEquals([Object.keys(verified.data), more], [["changes", "more", "changes_url"], 0]);
  const kinds = changes.map((
    { kind, release_item_id }: { kind: string; release_item_id: string },
  ) => [kind, Number(release_item_id.slice(-12))]);
  assertEquals(kinds.toSorted(), [["added", 4], ["changed", 1], ["removed", 3]]);
  await using app = await startApp(database);
  assertEquals((await app.json(changes_url)).data, changes);
  assertEquals(
    (await webhooks.deliveries()).map((
      { mail_id, status, attempts },
    ) => [mail_id, status, attempts]),
    [[told!.headers["webhook-id"], "sent", 1]],
  );

  await webhooks.import([makeItem(1, { release_status: "Shipped" }), makeItem(2), makeItem(4)]);
  await webhooks.send();
  assertEquals(receiver.received.length, 1, "nothing changed");
});

testOnDatabases("A webhook gets only changes that match its filter", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  const filters = {
    all: {},
    shipped: { release_status: ["Shipped"] },
    some: { product_name: ["(Sync) & more", "Product"], source: ["default"] },
    other: { source: ["other"] },
    kinds: { kind: ["edited" as const, "slipped" as const] },
    words: { q: ["synced", "shipping"] },
  };
  for (const [name, filter] of Object.entries(filters)) {
    await webhooks.add(`${receiver.url}/${name}`, { name, filter });
  }
  const notifiedOf = () => receiver.received.splice(0).map(({ path }) => path).toSorted();
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  assertEquals(notifiedOf(), ["/all", "/some"]);
  await webhooks.import([
    makeItem(1),
    makeItem(2, {
      product_name: "X",
      release_status: "Shipped",
      feature_description: "Ships things",
    }),
  ]);
  await webhooks.send();
  assertEquals(notifiedOf(), ["/all", "/shipped", "/words"]);
  await webhooks.import([makeItem(1, { product_name: "(Sync) & more" })], { partial: true });
  await webhooks.send();
  const url = receiver.received.map(({ body }) => JSON.parse(body).data.changes_url).find((url) =>
    url.includes("product_name")
  );
  assertEquals(notifiedOf(), ["/all", "/kinds", "/some", "/words"], "Sync is a form of synced");
  await using app = await startApp(database);
  const { data } = await app.json(url);
  assertEquals(data.length, 1);
  assertEquals(data[0].fields, [{ field: "product_name", old: "Product", new: "(Sync) & more" }]);
  await webhooks.import([makeItem(9)], { sourceName: "other" });
  await webhooks.send();
  assertEquals(notifiedOf(), ["/all", "/other"]);
});

testOnDatabases(
  "The body of a large import has 100 changes and a URL for the others",
  async (database) => {
    await using receiver = startReceiver();
    await using webhooks = startWebhooks(database);
    await importItems(database, [makeItem(1)]);
    await webhooks.add(receiver.url);
    await webhooks.import(Array.from({ length: 350 }, (_, number) => makeItem(number + 2)), {
      partial: true,
    });
    await webhooks.send();
    const { changes, more, changes_url } = JSON.parse(receiver.received[0]!.body).data;
    assertEquals([changes.length, more], [100, 250]);
    await using app = await startApp(database);
    const { data } = await app.json(`${changes_url}&limit=1000`);
    assertEquals(data.length, 350);
    assertEquals(data.slice(0, 100), changes);
    // With long texts a body has fewer changes, but at least one.
    const long = "word ".repeat(40_000);
    const texts = [1, 2, 3, 4, 5].map((number) => makeItem(number, { feature_description: long }));
    await webhooks.import(texts, { partial: true });
    await webhooks.send();
    const { body } = receiver.received[1]!;
    const told = JSON.parse(body).data;
    assert(told.changes.length >= 1 && told.changes.length < 5 && body.length < 2_000_000);
    assertEquals(told.changes.length + told.more, 5);
  },
);

testOnDatabases(
  "A delivery has the changes of its import, whatever is imported before it is sent",
  async (database) => {
    let isUp = false;
    await using receiver = startReceiver(() => new Response(null, { status: isUp ? 200 : 503 }));
    await using webhooks = startWebhooks(database);
    await webhooks.add(receiver.url);
    await webhooks.import([makeItem(1)]);
    await webhooks.send();
    await webhooks.import([makeItem(1, { feature_name: "Renamed" })]);
    isUp = true;
    webhooks.advance(1);
    await webhooks.send();
    const [first, ...later] = receiver.received.map(({ body, headers }) => ({
      id: headers["webhook-id"],
      body,
    }));
    const again = later.find(({ id }) => id === first!.id);
    const [renamed, ...others] = later.filter(({ id }) => id !== first!.id);
    assertEquals(again, first);
    assertEquals(JSON.parse(again!.body).data.changes[0].release.feature_name, "Feature 1");
    assertEquals(JSON.parse(renamed!.body).data.changes[0].release.feature_name, "Renamed");
    assertEquals(others, []);
  },
);

testOnDatabases("An import that is rolled back sends nothing", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  const failing = webhooks.import([makeItem(1)], {
    onChange: async (connection) => {
      await webhooks.tell(connection);
      throw new Error("it fails after all");
    },
  });
  await rejects(failing, /it fails after all/);
  assertEquals(await webhooks.deliveries(), []);
  await webhooks.import([makeItem(1)]);
  await webhooks.send();
  assertEquals(receiver.received.length, 1);
});

testOnDatabases("A failure is retried with growing delays and the same body", async (database) => {
  await using receiver = startReceiver((_, count) =>
    count < 4
      ? new Response(`No: ${"x".repeat(1_000)}`, { status: 500 })
      : new Response(null, { status: 200 })
  );
  await using webhooks = startWebhooks(database);
  const { secret } = await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  for (const [attempts, wait] of [[1, 1], [2, 2], [3, 4]] as const) {
    const before = dueAt(await webhooks.deliveries());
    await webhooks.send();
    await webhooks.send(); // not due yet
    const [delivery] = await webhooks.deliveries();
    assertEquals([delivery!.status, delivery!.attempts], ["waiting", attempts]);
    match(delivery!.last_error!, /^It answered 500 Internal Server Error: No: x{200,400}…$/);
    assertEquals((Date.parse(delivery!.due_at) - before) / MINUTE, wait);
    webhooks.advance(wait);
  }
  await webhooks.send();
  const [delivery] = await webhooks.deliveries();
  assertEquals([delivery!.status, delivery!.attempts, delivery!.last_error], ["sent", 4, null]);
  const messages = receiver.received.map(({ headers, body }) => [headers["webhook-id"], body]);
  for (const message of messages) assertEquals(message, messages[0]);
  const times = receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]));
  assertEquals(times.map((time) => (time - times[0]!) / 60), [0, 1, 3, 7]);
  for (const received of receiver.received) verifyAt(received, secret!);
});

testOnDatabases("Retry-After is honoured, up to a day", async (database) => {
  const asked = ["7200", "Mon, 20 Jul 2026 15:00:00 GMT", "9999999", "soon"];
  await using receiver = startReceiver((_, count) =>
    new Response(null, { status: 429, headers: { "retry-after": asked[count - 1]! } })
  );
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  for (const minutes of [120, 60, 24 * 60, 8]) {
    const before = dueAt(await webhooks.deliveries());
    await webhooks.send();
    const [delivery] = await webhooks.deliveries();
    assertEquals((Date.parse(delivery!.due_at) - before) / MINUTE, minutes);
    webhooks.advance(minutes - 1);
    await webhooks.send();
    assertEquals((await webhooks.deliveries())[0]!.attempts, delivery!.attempts, "too early");
    webhooks.advance(1);
  }
});

testOnDatabases("410 disables a webhook until it is enabled again", async (database) => {
  await using receiver = startReceiver(() => new Response("gone", { status: 410 }));
  await using other = startReceiver();
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url, { name: "gone" });
  await webhooks.add(other.url, { name: "there" });
  await webhooks.import([makeItem(1)]);
  await webhooks.import([makeItem(1), makeItem(2)]);
  await webhooks.send();
  const [gone, there] = await webhooks.list();
  match(gone!.disabled_reason!, /^It answered 410 Gone$/);
  assertEquals([gone!.disabled_at, there!.disabled_at], ["2026-07-20T12:00:00Z", null]);
  const states = (await webhooks.deliveries()).map(({ name, status }) => `${name} ${status}`);
  assertEquals(states.toSorted(), ["gone failed", "gone failed", "there sent", "there sent"]);
  assertEquals(receiver.received.length, 1);
  await webhooks.import([makeItem(1), makeItem(2), makeItem(3)]);
  await webhooks.send();
  assertEquals([receiver.received.length, other.received.length], [1, 3]);
  assertEquals(await enableWebhook(database, "gone", new Date()), 0);
  await webhooks.import([makeItem(4)], { partial: true });
  await webhooks.send();
  const { changes } = JSON.parse(receiver.received[1]!.body).data;
  assertEquals(changes.length, 1, "what was imported meanwhile is not told");
});

testOnDatabases("While no receiver answers, no webhook is given up", async (database) => {
  let isOnline = true;
  await using alive = startReceiver();
  await using webhooks = startWebhooks(database, {
    resolve: (name) =>
      isOnline ? resolveByMachine(name) : Promise.reject(new Error("getaddrinfo ENOTFOUND")),
  });
  for (const name of ["a", "b"]) {
    await webhooks.add(`http://localhost:${alive.port}/${name}`, { name });
  }
  isOnline = false;
  await webhooks.import([makeItem(1)]);
  const passDays = async (days: number) => {
    for (let hour = 0; hour < days * 24; hour++) {
      await webhooks.send();
      webhooks.advance(60);
    }
  };
  await passDays(10);
  assertEquals(alive.received, []);
  assertEquals((await webhooks.list()).map(({ disabled_at }) => disabled_at), [null, null]);
  isOnline = true;
  await passDays(1);
  assertEquals(alive.received.map(({ path }) => path).sort(), ["/a", "/b"]);

  // One that fails while others answer is to blame itself.
  await using closed = startReceiver();
  await webhooks.change("b", { url: closed.url, cadence: "immediate" });
  await closed[Symbol.asyncDispose]();
  for (let day = 1; day <= 4; day++) {
    await webhooks.import([makeItem(day + 1)], { partial: true });
    await passDays(1);
  }
  const disabled = (await webhooks.list()).filter(({ disabled_at }) => disabled_at !== null);
  assertEquals(disabled.map(({ name }) => name), ["b"]);
  match(disabled[0]!.disabled_reason!, /^A delivery failed for three days\./);
});

testOnDatabases("After three days of failures a webhook is disabled", async (database) => {
  await using receiver = startReceiver(() => new Response(null, { status: 500 }));
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  let minutes = 0;
  while ((await webhooks.deliveries())[0]!.status === "waiting" && minutes < 6 * 24 * 60) {
    await webhooks.send();
    webhooks.advance(1);
    minutes++;
    if (minutes > 10) webhooks.advance(59), minutes += 59;
  }
  assert(minutes >= 72 * 60 && minutes <= 74 * 60, `it was given up after minute ${minutes}`);
  const [webhook] = await webhooks.list();
  match(webhook!.disabled_reason!, /^A delivery failed for three days\. It answered 500/);
  assert(receiver.received.length > 20 && receiver.received.length < 40);
});

testOnDatabases("Two senders deliver to each webhook once", async (database) => {
  await using receiver = startReceiver();
  await using first = startWebhooks(database);
  await using second = startWebhooks(database);
  for (let number = 0; number < 40; number++) await first.add(`${receiver.url}/${number}`);
  await first.import([makeItem(1)]);
  await Promise.all([first.send(), second.send()]);
  const paths = receiver.received.map(({ path }) => Number(path.slice(1)));
  assertEquals(paths.toSorted((a, b) => a - b), Array.from({ length: 40 }, (_, number) => number));
});

testOnDatabases(
  "Across all senders each receiver gets one delivery at a time, in order, parallel to others",
  async (database) => {
    const items = [1, 2, 3, 4].map((number) => makeItem(number));
    const receivers = [0, 1, 2, 3, 4, 5];
    const told = new Map<string, string[]>(receivers.map((number) => [`/${number}`, []]));
    const telling = new Set<string>();
    const overlapping: string[] = [];
    const rounds = items.map(() => ({
      ...Promise.withResolvers<void>(),
      missing: receivers.length,
    }));
    await using first = startWebhooks(database);
    await using second = startWebhooks(database);
    await using third = startWebhooks(database);
    // All deliveries are parallel, and end when a sender that checks then has found nothing.
    await using receiver = startReceiver(async ({ path, body }) => {
      if (telling.has(path)) overlapping.push(path);
      telling.add(path);
      const names = told.get(path)!;
      const round = rounds[names.length]!;
      names.push(JSON.parse(body).data.changes[0].release.feature_name);
      if (--round.missing === 0) third.send().then(() => round.resolve());
      await round.promise;
      telling.delete(path);
      return new Response();
    });
    for (const number of receivers) await first.add(`${receiver.url}/${number}`);
    for (const place of items.keys()) await first.import(items.slice(0, place + 1));
    await Promise.all([first.send(), second.send()]);
    assertEquals(overlapping, []);
    const names = items.map(({ feature_name }) => feature_name);
    assertEquals([...told.values()], receivers.map(() => names));
  },
);

testOnDatabases("A refused delivery holds back the later ones", async (database) => {
  let isUp = false;
  await using receiver = startReceiver(() => new Response(null, { status: isUp ? 204 : 503 }));
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  await webhooks.import([makeItem(1), makeItem(2)]);
  await webhooks.send();
  assertEquals(receiver.received.length, 1);
  isUp = true;
  await webhooks.send();
  assertEquals(receiver.received.length, 1, "too early");
  webhooks.advance(1);
  await webhooks.send();
  assertEquals(
    receiver.received.map(({ body }) => JSON.parse(body).data.changes[0].release.feature_name),
    ["Feature 1", "Feature 1", "Feature 2"],
  );
});

slowOnDatabases("A delivery whose sender died is sent once its lease expires", async (database) => {
  let hangs = true;
  await using receiver = startReceiver(() =>
    hangs ? new Promise(() => {}) : new Response(null, { status: 200 })
  );
  await using dying = startWebhooks(database, { timeoutMs: 2_000 });
  await using healthy = startWebhooks(database);
  await dying.add(receiver.url);
  await dying.import([makeItem(1)]);
  const neverEnds = dying.send();
  while (receiver.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  hangs = false;
  await healthy.send();
  assertEquals(receiver.received.length, 1);
  await expireLeases(database);
  await healthy.send();
  assertEquals(receiver.received.length, 2);
  assertEquals((await healthy.deliveries())[0]!.status, "sent");
  await neverEnds;
  assertEquals((await healthy.deliveries())[0]!.status, "sent", "the stale failure changed it");
});

testOnDatabases("Webhook deliveries are not sent or counted as emails", async (database) => {
  await using receiver = startReceiver(() => new Response(null, { status: 500 }));
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  await using app = await startApp(database);
  await app.sendMails();
  await webhooks.send();
  assertEquals(receiver.received.length, 1, "the sender of mails took it");
  const metrics = await (await app.fetch("/metrics")).text();
  match(metrics, /^roadcast_webhooks\{state="enabled"\} 1$/m);
  match(metrics, /^roadcast_webhook_deliveries\{status="waiting"\} 1$/m);
  match(metrics, /^roadcast_outbox_mails\{status="waiting"\} 0$/m);
});

testOnDatabases("Finished deliveries and their payloads are deleted in time", async (database) => {
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database);
  await webhooks.add(receiver.url);
  await webhooks.import([makeItem(1)]);
  await using app = await startApp(database);
  const count = async () => {
    const [row] = await database.query<{ payloads: number; deliveries: number }>(sql`
      select (select count(*)::int from webhook_payloads) as payloads,
        (select count(*)::int from outbox) as deliveries
    `);
    return [row!.payloads, row!.deliveries];
  };
  await app.prune();
  assertEquals(await count(), [1, 1]);
  await webhooks.send();
  await app.prune();
  assertEquals(await count(), [0, 1]);
  app.advance(31 * 24 * 3600);
  await app.prune();
  assertEquals(await count(), [0, 0]);
});

function dueAt([delivery]: { due_at: string }[]): number {
  return Date.parse(delivery!.due_at);
}

/** Verifies with the library of Standard Webhooks, at the time of the message. */
function verifyAt(
  { headers, body }: { headers: Record<string, string>; body: string },
  secret: string,
  // deno-lint-ignore no-explicit-any
): any {
  const real = Date.now;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1000;
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    Date.now = real;
  }
}
