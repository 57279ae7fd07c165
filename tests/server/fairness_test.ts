import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { toolRequest } from "../support/subjects/tool_request.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { holdDatabase } from "../support/held_database.ts";
import { waitFor } from "../support/wait_for.ts";
import { slowOnDatabases } from "../support/slow.ts";

/** So many answers are built at one time for one client, and so many requests wait. */
const BUILT = 8;
const WAITING = 500;
/** Beside what is built for one client. */
const ROOM_OF_OTHERS = 2;
/** More of one client than are served beside each other. */
const MANY = 40;

const HOSTILE = "198.51.100.1";
const POLITE = "192.0.2.1";
const OTHER = "192.0.2.2";

const ITEMS = Array.from({ length: 60 }, (_, index) => makeItem(index));
const HISTORY = `/api/releases/history/${ITEMS[1]!.release_item_id}`;

/** A service behind a proxy, with what every answer needs in memory. */
async function startBehindProxy(database: Database) {
  await importItems(database, ITEMS);
  const held = holdDatabase(database);
  const app = await startApp(held, { TRUSTED_PROXIES: "1" });
  await app.json("/api/releases");
  return {
    held,
    get: (client: string, path: string) =>
      app.fetch(path, { headers: { "X-Forwarded-For": client } }),
    call: (client: string, tool: string) =>
      app.fetch("/mcp", toolRequest(tool, {}, { "X-Forwarded-For": client })),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

type Service = Awaited<ReturnType<typeof startBehindProxy>>;

/** Has a client ask for so many large answers, of which some are being built. */
async function fill({ get, held }: Service, count: number): Promise<Promise<Response>[]> {
  held.hold();
  const asked = Array.from({ length: count }, (_, n) => get(HOSTILE, `${HISTORY}?page=${n + 1}`));
  await waitFor("the builds", () => held.held === BUILT);
  return asked;
}

/** Keeps everybody from the items, and on the embedded database from all, until that is called. */
async function occupy(database: Database): Promise<() => Promise<void>> {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = database.transaction(async (connection) => {
    await connection.script("lock table items in access exclusive mode");
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  return () => (end.resolve(), done);
}

/** Has all connections to a server open: a new one answers later than all that wait. */
async function openConnections(database: Database, { get }: Service): Promise<void> {
  const release = await occupy(database);
  const answers = [10, 11, 12, 13].flatMap((host) =>
    [1, 2, 3].map((n) => get(`192.0.2.${host}`, `/api/releases?q=open+${host}+${n}`))
  );
  await release();
  await settle(answers);
}

/** The statuses of answers, in the order in which they were asked for. */
async function settle(asked: readonly Promise<Response>[]): Promise<number[]> {
  return await Promise.all(asked.map(async (answer) => {
    const { status, body } = await answer;
    await body?.cancel();
    return status;
  }));
}

slowOnDatabases(
  "A client waits for one statement of the others at a time, not for all",
  async (database) => {
    await using asked = await startBehindProxy(database);
    const order: string[] = [];
    const get = async (client: string, name: string, words: string) => {
      const { status, body } = await asked.get(client, `/api/releases?q=${words}`);
      await body?.cancel();
      assertEquals(status, 200);
      order.push(name);
    };
    await openConnections(database, asked);
    const release = await occupy(database);
    const hostile = Array.from({ length: MANY }, (_, n) => [
      // Two clients: an address, and a /48, whose networks take turns as one.
      get(HOSTILE, "hostile", `feature ${n}`),
      get(`2001:db8:1:${n.toString(16)}::1`, "site", `Feature  ${n}`),
    ]).flat();
    const polite = [1, 2, 3].map((n) => get(POLITE, "polite", `product ${n}`));
    await Promise.all([release(), ...hostile, ...polite]);
    // Each has a statement or two, and on a server several are asked beside each other.
    const before = order.slice(0, order.lastIndexOf("polite"));
    const count = (name: string) => before.filter((one) => one === name).length;
    assert(count("hostile") <= MANY / 2 && count("site") <= MANY / 2, before.join(" "));
  },
);

testOnDatabases("One client's builds leave room for those of others", async (database) => {
  await using asked = await startBehindProxy(database);
  const hostile = await fill(asked, BUILT + MANY);
  const polite = asked.get(POLITE, "/changelog");
  await waitFor("the other client's build", () => asked.held.held > BUILT);
  asked.held.release();
  assertEquals(await settle([polite]), [200]);
  assertEquals(new Set(await settle(hostile)), new Set([200]));
});

slowOnDatabases("When too many wait, the client with the most is refused", async (database) => {
  await using asked = await startBehindProxy(database);
  const { get, call, held } = asked;
  const hostile = await fill(asked, BUILT + WAITING);
  for (const refused of [get(HOSTILE, "/rss"), call(HOSTILE, "list_changes")]) {
    const response = await refused;
    assertEquals([response.status, response.headers.get("retry-after")], [503, "5"]);
    await response.body?.cancel();
  }
  const refused: number[] = [];
  for (const [number, answer] of hostile.entries()) {
    answer.then(({ status }) => status === 503 && refused.push(number));
  }
  const paths = [1, 2, 3, 4].map((days) => `/changelog?days=${days}`);
  const polite = paths.map((path) => get(POLITE, path));
  const called = call(OTHER, "list_changes");
  await waitFor("the place of each", () => refused.length === paths.length + 1 - ROOM_OF_OTHERS);
  assert(refused.every((number) => number > WAITING), `The newest, not ${refused}`);
  held.release();
  assertEquals(await settle([...polite, called]), [200, 200, 200, 200, 200]);
  assertEquals((await settle(hostile)).slice(0, BUILT), Array(BUILT).fill(200));
});

slowOnDatabases(
  "A request for what another client waits for is served in its own turn",
  async (database) => {
    await using asked = await startBehindProxy(database);
    const order: string[] = [];
    const note = async (name: string, answer: Promise<Response>) => {
      const { status } = await answer;
      order.push(`${name} ${status}`);
    };
    await openConnections(database, asked);
    // As dear as those of the other client.
    const path = `${HISTORY}?page=${BUILT + WAITING}`;
    const hostile = (await fill(asked, BUILT + WAITING - 1))
      .concat(asked.get(HOSTILE, path))
      .map((answer) => note("hostile", answer));
    const shared = note("shared", asked.get(POLITE, path));
    await waitFor("their builds", () => asked.held.held > BUILT);
    asked.held.release();
    await Promise.all([...hostile, shared]);
    const before = order.slice(0, order.indexOf("shared 200"))
      .filter((one) => one === "hostile 200");
    assert(order.includes("shared 200"));
    assert(before.length <= BUILT + MANY, `${before.length} were built before`);
  },
);
