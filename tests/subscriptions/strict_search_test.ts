import { deepStrictEqual as assertEquals, match, strictEqual } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import type { Connection } from "../../lib/database/database.ts";
import { notifyWebhooks } from "../../lib/delivery/webhooks/queue_webhooks.ts";
import { importItems, makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { listedIn, NOW, startDigests } from "../support/subjects/digests.ts";
import { startReceiver, startWebhooks } from "../support/subjects/webhooks.ts";

const NAMES = [
  "Restoring of deleted databases",
  "Warehouse snapshots",
  "Sign-in with passkeys",
  "Signs of growth in winter",
  "CI/CD templates",
  "Deleted events",
];
const items = (names: readonly string[] = NAMES) =>
  names.map((feature_name, n) => makeItem(n, { feature_name, product_name: "Atlas" }));

/** Saved searches, and the only names that they find. */
const RULES: readonly (readonly [q: string, found: readonly string[]])[] = [
  ["restore databases", ["Restoring of deleted databases"]],
  ["databases of restoring", ["Restoring of deleted databases"]],
  ['"deleted databases"', ["Restoring of deleted databases"]],
  ['"databases deleted"', []],
  ["warehouse zebra", []],
  ["wharehouse", []],
  ["wareho", ["Warehouse snapshots"]],
  ["wareho snapshots", []],
  ["wareho* snapshots", ["Warehouse snapshots"]],
  ["sign-in", ["Sign-in with passkeys"]],
  ["templates CD/CI", ["CI/CD templates"]],
  ["deleted", ["Deleted events", "Restoring of deleted databases"]],
  ["zebra unicorn quarterly warehouse", []],
];

testOnDatabases("A saved search finds a release only with every word", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, items());
  for (const [q, expected] of RULES) {
    const query = `match=words&q=${encodeURIComponent(q)}`;
    const { items: entries } = await services.app.json(`/feed.json?${query}`);
    const names = entries.map(({ url }: { url: string }) => NAMES[Number(url.slice(-12))]!);
    assertEquals([q, names.sort()], [q, expected]);
    const calendar = await (await services.app.fetch(`/calendar.ics?${query}`)).text();
    assertEquals([q, NAMES.filter((name) => calendar.includes(name)).sort()], [q, expected]);
    const preview = await (await services.app.fetch(`/subscribe/preview?${query}`)).text();
    assertEquals([q, NAMES.filter((name) => preview.includes(name)).sort()], [q, expected]);
  }
});

testOnDatabases("An email and a webhook report only what has every word", async (database) => {
  await using services = await startDigests(database);
  await using receiver = await startReceiver();
  await using webhooks = startWebhooks(database);
  for (const [place, [q]] of RULES.entries()) {
    await services.verify(`${place}@example.com`, { q });
    await webhooks.add(`${receiver.url}/${place}`, { filter: { q: [q] } });
  }
  await webhooks.import(items());
  await webhooks.send();
  const told = new Map(
    (await services.digest()).map((mail) => [mail.envelopeTo[0]!, listedIn(mail)]),
  );
  for (const [place, [q, expected]] of RULES.entries()) {
    const names = told.get(`${place}@example.com`) ?? [];
    assertEquals([q, names.toSorted()], [q, expected]);
    const bodies = receiver.received.filter(({ path }) => path === `/${place}`).map(({ body }) =>
      body
    ).join();
    assertEquals([q, NAMES.filter((name) => bodies.includes(name)).sort()], [q, expected]);
  }
});

testOnDatabases("The words of a search add no statement to an import", async (database) => {
  await using services = await startDigests(database);
  const counts: number[] = [];
  const notify = notifyWebhooks(readConfig({ BASE_URL: "https://example.com" }), () => NOW);
  const onChange = async (connection: Connection) => {
    let count = 0;
    const query: Connection["query"] = (statement) => {
      count++;
      return connection.query(statement);
    };
    await notify({ ...connection, query });
    counts.push(count);
  };
  await services.verify("one@example.com", { cadence: "immediate", q: "word" });
  await importItems(database, items(), { onChange });
  const unknown = Array.from(
    { length: 10 },
    (_, search) =>
      Array.from(
        { length: 12 },
        (_, word) => `unknown${"abcdefghijkl"[word]}${"mnopqrstuv"[search]}`,
      ).join(" "),
  );
  await services.verify("ten@example.com", { cadence: "immediate", q: unknown });
  await importItems(database, items(NAMES.map((name) => `${name} again`)), { onChange });
  const [one, both] = counts as [number, number];
  strictEqual(both <= 2 * one, true, `${one} statements for one, ${both} for both`);
});

testOnDatabases("A subscription takes at most ten searches", async (database) => {
  await using services = await startDigests(database);
  const q = Array.from({ length: 11 }, (_, n) => `word ${n}`);
  const response = await services.app.fetch("/api/subscribe", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "a@example.com", q }),
  });
  assertEquals(response.status, 400);
  match((await response.json()).detail, /searches must have at most 10 values/);
});
