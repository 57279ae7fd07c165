import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { Gate } from "../../lib/http/clients/gate.ts";
import { LongPolls } from "../../lib/http/streams/long_polls.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases, slowTest } from "../support/slow.ts";

/** So many wait at once, and no more. */
const MAX = 100;

/** A service on a port, with a cursor behind all that is stored. */
async function startWaiting(database: Database, settings: Record<string, string> = {}) {
  await importItems(database, [makeItem(1)]);
  const app = await startApp(database, settings);
  const server = app.listen();
  const { next_after } = await app.json("/api/changes");
  const url = `http://127.0.0.1:${server.port}/api/changes?after=${next_after}`;
  return {
    app,
    next_after: next_after as string,
    ask: (parameters: string, init?: RequestInit) => fetch(url + parameters, init),
    isWaiting: (count: number) => waitFor(`${count} waiting`, () => app.countWaiting() === count),
    async [Symbol.asyncDispose]() {
      app.stopWaiting();
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

testOnDatabases("A waiting request gets the next change, in both variants", async (database) => {
  for (const ROADMAP_VARIANT of ["a", "b"]) {
    await using served = await startWaiting(database, { ROADMAP_VARIANT });
    const answer = served.ask("&wait=30");
    await served.isWaiting(1);
    const status = `Shipped in ${ROADMAP_VARIANT}`;
    await importItems(database, [makeItem(1, { release_status: status })]);
    const response = await answer;
    assertEquals(response.headers.get("cache-control"), "no-store");
    const { data, has_more } = await response.json();
    assertEquals([data.length, has_more], [1, false]);
    assertEquals(data[0].fields[0].new, status);
    assertEquals(data[0].release.release_status, status);
    assertEquals(served.app.countWaiting(), 0);
  }
});

slowOnDatabases("Waiting ends after the requested time, and the cursor stays", async (database) => {
  await using served = await startWaiting(database);
  const response = await served.ask("&wait=1");
  assertEquals(response.status, 200);
  assertEquals(await response.json(), { data: [], next_after: served.next_after, has_more: false });
  assertEquals(served.app.countWaiting(), 0);
});

slowOnDatabases(
  "Changes outside the filter wake no request, and the cursor moves past them",
  async (database) => {
    await using served = await startWaiting(database);
    const answer = served.ask("&wait=30&release_status=Shipped");
    await served.isWaiting(1);
    await importItems(database, [makeItem(1), makeItem(2)]);
    await importItems(database, [makeItem(1), makeItem(2, { release_status: "Shipped" })]);
    const { data } = await (await answer).json();
    // The item passes now, with all that it went through behind the cursor by then.
    assertEquals(data.at(-1).kind, "changed");
    const { next_after } = await served.app.json("/api/changes");
    const last = served.ask("&wait=2&release_status=None");
    await served.isWaiting(1);
    assertEquals((await (await last).json()).next_after, next_after);
  },
);

testOnDatabases("A disconnected client is forgotten", async (database) => {
  await using served = await startWaiting(database);
  const leaving = new AbortController();
  const answer = served.ask("&wait=30", { signal: leaving.signal });
  await served.isWaiting(1);
  leaving.abort();
  await answer.catch(() => {});
  await served.isWaiting(0);
});

slowOnDatabases(
  "A hundred requests wait at once; more wait for a second, and others get responses",
  async (database) => {
    await using served = await startWaiting(database, { TRUSTED_PROXIES: "1" });
    const ask = (client: string, wait = 30) =>
      served.ask(`&wait=${wait}`, { headers: { "X-Forwarded-For": client } });
    const answers = Array.from({ length: MAX }, (_, number) => ask(`192.0.2.${number % 10}`));
    await served.isWaiting(MAX);
    for (const refused of await Promise.all([ask("192.0.2.1"), ask("198.51.100.1")])) {
      const { data, next_after } = await refused.json();
      assertEquals([data, next_after], [[], served.next_after]);
    }
    assertEquals((await served.app.json("/api/releases")).data.length, 1);
    assertEquals(served.app.countWaiting(), MAX, "the others are still waiting");
    await importItems(database, [makeItem(1), makeItem(2)]);
    const told = await Promise.all(answers.map(async (answer) => (await answer).json()));
    assertEquals(told.map(({ data }) => data.length), new Array(MAX).fill(1));
    assertEquals(served.app.countWaiting(), 0);
  },
);

slowOnDatabases("One network gets at most half of the places", async (database) => {
  await using served = await startWaiting(database, { TRUSTED_PROXIES: "1" });
  const ask = (client: string) =>
    served.ask("&wait=30", { headers: { "X-Forwarded-For": client } });
  const answers = Array.from({ length: MAX / 2 }, () => ask("192.0.2.1"));
  await served.isWaiting(MAX / 2);
  // These are of one network, an IPv6 /48.
  answers.push(...Array.from({ length: 10 }, (_, number) => ask(`2001:db8:0:${number}::1`)));
  await served.isWaiting(MAX / 2 + 10);
  for (const client of ["192.0.2.1", "2001:db8:0:99::1"]) {
    assertEquals((await (await ask(client)).json()).data, []);
  }
  answers.push(ask("192.0.2.2"));
  await served.isWaiting(MAX / 2 + 11);
  served.app.stopWaiting();
  for (const answer of await Promise.all(answers)) await answer.body?.cancel();
  assertEquals(served.app.countWaiting(), 0);
});

slowTest("A request without a place still gets changes within its second", async () => {
  const dataVersion = { current: 1, onChange: (listener: () => void) => void (wake = listener) };
  let wake = () => {};
  const polls = new LongPolls({ dataVersion, gate: new Gate() });
  const enter = () => polls.enter(30, "192.0.2.1", new AbortController().signal);
  const turns = Array.from({ length: MAX / 2 }, enter);
  assertEquals(turns.every(({ hasPlace }) => hasPlace), true);
  const [late, later] = [enter(), enter()];
  assertEquals([late.hasPlace, later.hasPlace, polls.waiting], [false, false, MAX / 2]);
  const told = late.untilNewer(1);
  dataVersion.current = 2;
  wake();
  assertEquals(await told, true);
  // Its own 30 seconds would outlast this test.
  assertEquals(await later.untilNewer(2), false);
  for (const turn of [...turns, late, later]) turn[Symbol.dispose]();
  assertEquals(polls.waiting, 0);
});
