import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import type { Database } from "../lib/database/database.ts";
import { sql } from "../lib/database/sql.ts";
import { importItems, makeItem, startApp, type TestApp } from "./support/app.ts";
import { testOnDatabases } from "./support/databases.ts";
import { type EmbeddingServer, startEmbeddingServer } from "./support/embedding_server.ts";
import { recordLog } from "./support/log.ts";
import { embedAll, settingsFor } from "./support/semantic.ts";

const ITEMS = [
  makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
  makeItem(2, { feature_name: "Car keys", feature_description: null }),
];
const SEMANTIC = ["semantic", "public, max-age=14400, stale-while-revalidate=3600"];
/** By words for this client only, or for everybody. */
const PRIVATE = ["substring", "private, max-age=60"];
const PUBLIC = ["substring", "public, max-age=60"];

/** The headers of a request that a proxy had from this address. */
function from(client: string, more: Record<string, string> = {}): RequestInit {
  return { headers: { "X-Forwarded-For": client, ...more } };
}

/** Mode and life of an answer to a client. */
async function ask(app: TestApp, client: string, q: string, more = ""): Promise<unknown[]> {
  const response = await app.fetch(
    `/api/releases?q=${encodeURIComponent(q)}${more}`,
    from(client),
  );
  assertEquals([response.status, q], [200, q]);
  await response.body?.cancel();
  return [response.headers.get("x-search-mode"), response.headers.get("cache-control")];
}

/** A service behind a proxy, whose items all have a vector. */
async function start(
  database: Database,
  server: EmbeddingServer,
  limits: Record<string, string> = {},
): Promise<TestApp> {
  const settings = settingsFor(server, { TRUSTED_PROXIES: "1", ...limits });
  await importItems(database, ITEMS);
  await embedAll(database, settings);
  server.requests.length = 0;
  return await startApp(database, settings);
}

testOnDatabases("A client asks QUESTION_LIMIT new questions an hour", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "2" });
  assertEquals(await ask(app, "192.0.2.1", "car a"), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", "car b"), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", "car c"), PRIVATE);
  assertEquals(await ask(app, "192.0.2.1", "car d"), PRIVATE);
  assertEquals(server.requests.length, 2);
  assertEquals(await ask(app, "192.0.2.1", "CAR  a", "&page=2"), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.2", "car c"), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", "car c"), SEMANTIC);
  assertEquals(await ask(app, "2001:db8:1:2::1", "car e"), SEMANTIC);
  assertEquals(await ask(app, "2001:db8:1:2::2", "car f"), SEMANTIC);
  assertEquals(await ask(app, "2001:db8:1:2:3::", "car g"), PRIVATE);
  assertEquals(await ask(app, "2001:db8:1:3::1", "car g"), SEMANTIC);
  const page = await app.fetch("/?q=automobile", from("192.0.2.1"));
  assertEquals(page.headers.get("cache-control"), "private, max-age=60");
  match(await page.text(), /1 release</);
  assertEquals(server.requests.length, 6);
});

testOnDatabases("All processes on a database count alike, for an hour", async (database) => {
  await using server = startEmbeddingServer();
  await using one = await start(database, server, { QUESTION_LIMIT: "2", QUESTION_BUDGET: "3" });
  await using other = await start(database, server, { QUESTION_LIMIT: "2", QUESTION_BUDGET: "3" });
  assertEquals(await ask(one, "192.0.2.1", "car a"), SEMANTIC);
  assertEquals(await ask(other, "192.0.2.1", "car b"), SEMANTIC);
  assertEquals(await ask(other, "192.0.2.1", "car c"), PRIVATE);
  assertEquals(await ask(one, "192.0.2.2", "car c"), SEMANTIC);
  assertEquals(await ask(other, "192.0.2.3", "car d"), PUBLIC);
  await using later = await start(database, server, { QUESTION_LIMIT: "2", QUESTION_BUDGET: "3" });
  later.advance(3600);
  assertEquals(await ask(later, "192.0.2.1", "car d"), SEMANTIC);
});

testOnDatabases("All clients together ask QUESTION_BUDGET new questions", async (database) => {
  await using log = await recordLog();
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "2", QUESTION_BUDGET: "3" });
  for (const client of [1, 2, 3]) {
    assertEquals(await ask(app, `192.0.2.${client}`, `car ${client}`), SEMANTIC);
  }
  for (const q of ["car d", "car e", "car f"]) {
    assertEquals(await ask(app, "192.0.2.3", q), PUBLIC);
  }
  assertEquals(await ask(app, "192.0.2.4", "car 1"), SEMANTIC);
  assertEquals(server.requests.length, 3);
  const warnings = log.lines.filter((line) => line.startsWith("warning"));
  assertEquals(warnings.length, 1);
  match(warnings[0]!, /QUESTION_BUDGET=3 new questions were asked within an hour/);
  // What was not asked is not counted for the client either: it has one question left.
  await database.query(sql`update request_counts set expire = 0 where key like 'questions:%'`);
  assertEquals(await ask(app, "192.0.2.3", "car g"), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.3", "car h"), PRIVATE);
});

for (const name of ["QUESTION_LIMIT", "QUESTION_BUDGET"]) {
  testOnDatabases(`With ${name}=0 no new question is asked`, async (database) => {
    await using server = startEmbeddingServer();
    await (await start(database, server))[Symbol.asyncDispose]();
    await using app = await start(database, server, { [name]: "0" });
    assertEquals((await ask(app, "192.0.2.1", "car"))[0], "substring");
    assertEquals(server.requests.length, 0);
  });
}

testOnDatabases("What one client does not get is not kept from others", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "1" });
  await ask(app, "192.0.2.1", "car a");
  await ask(app, "192.0.2.2", "car b");
  assertEquals(await ask(app, "192.0.2.1", "car c"), PRIVATE);
  assertEquals(await ask(app, "192.0.2.3", "car c"), SEMANTIC);
  // The same answer at once, and the same question for different pages.
  const same = ["192.0.2.1", "192.0.2.4"].map((client) => ask(app, client, "car d"));
  assertEquals(await Promise.all(same), [PRIVATE, SEMANTIC]);
  const pages = ["192.0.2.1", "192.0.2.5"].map((client, page) =>
    ask(app, client, "car e", `&page=${page + 1}`)
  );
  assertEquals(await Promise.all(pages), [PRIVATE, SEMANTIC]);
  // Two who may not ask, and a third one; each gets bytes that it can read.
  const compressed = await Promise.all(
    ["192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.6"].map((client) =>
      app.fetch("/?q=car+f", from(client, { "Accept-Encoding": "br" }))
    ),
  );
  assertEquals(
    compressed.map(({ status, headers }) => [
      status,
      headers.get("content-encoding"),
      headers.get("cache-control"),
    ]),
    [
      [200, "br", "private, max-age=60"],
      [200, "br", "private, max-age=60"],
      [200, "br", "private, max-age=60"],
      [200, "br", "public, no-cache"],
    ],
  );
});

/** Has the service take its time for each answer; tells how many it makes at once at most. */
function countAtOnce(server: EmbeddingServer): () => number {
  let running = 0;
  let most = 0;
  async function answerLater(): Promise<void> {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 200));
    running--;
  }
  Object.defineProperty(server, "gate", { get: () => answerLater() });
  return () => most;
}

testOnDatabases("A flood of new questions makes few calls at once", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "1000" });
  const most = countAtOnce(server);
  const flood = Array.from({ length: 200 }, (_, number) => ask(app, "192.0.2.1", `car ${number}`));
  assertEquals(await ask(app, "192.0.2.2", "other"), SEMANTIC);
  const modes = Map.groupBy(await Promise.all(flood), ([mode]) => mode);
  assertEquals(modes.get("semantic")?.length, server.requests.length - 1);
  for (const answer of modes.get("substring") ?? []) assertEquals(answer, PRIVATE);
  assert(modes.has("substring"), "Few questions wait for their turn");
  assert(most() <= 9, `8 questions of a client at once, and the other one, not ${most()}`);
});

testOnDatabases("Some questions of one client may wait for their turn", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  const questions = Array.from(
    { length: 20 },
    (_, number) => ask(app, "192.0.2.1", `car ${number}`),
  );
  assertEquals(await Promise.all(questions), Array(20).fill(SEMANTIC));
});

testOnDatabases("A question that would wait for long is searched by words", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  server.trouble = { kind: "hang" };
  const started = performance.now();
  const questions = Array.from(
    { length: 20 },
    (_, number) => ask(app, "192.0.2.1", `car ${number}`),
  );
  const modes = (await Promise.all(questions)).map(([mode]) => mode);
  assertEquals(modes, Array(20).fill("substring"));
  assert(performance.now() - started < 8_000, "All of them wait for 3 s, not one after another");
  assertEquals(server.requests.length, 8);
});

testOnDatabases("All clients together make few calls at once", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  const most = countAtOnce(server);
  const flood = Array.from(
    { length: 200 },
    (_, number) => ask(app, `192.0.2.${number % 20}`, `car ${number}`),
  );
  for (const answer of await Promise.all(flood)) {
    assertEquals(answer, answer[0] === "semantic" ? SEMANTIC : PRIVATE);
  }
  assert(most() <= 32, `32 questions of all at once, not ${most()}`);
});

testOnDatabases("Only failures of several clients close the service to all", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "4" });
  server.judge = ({ input: [text] }) =>
    text!.includes("poison") ? { kind: "status", status: 500 } : null;
  for (const q of ["a", "b", "c"]) {
    assertEquals(await ask(app, "192.0.2.1", `poison ${q}`), PUBLIC);
  }
  assertEquals(await ask(app, "192.0.2.1", "car a"), PRIVATE);
  assertEquals(server.requests.length, 3);
  assertEquals(await ask(app, "192.0.2.2", "car a"), SEMANTIC);
  await ask(app, "192.0.2.2", "poison d");
  await ask(app, "192.0.2.3", "poison e");
  assertEquals(await ask(app, "192.0.2.4", "car b"), SEMANTIC);
  for (const client of [2, 3, 4]) await ask(app, `192.0.2.${client}`, `poison ${client}`);
  assertEquals(await ask(app, "192.0.2.5", "car c"), PUBLIC);
  const { now } = Date;
  try {
    Date.now = () => now() + 31_000;
    assertEquals(await ask(app, "192.0.2.5", "car d"), SEMANTIC);
    // What was not asked meanwhile was not counted either.
    assertEquals(await ask(app, "192.0.2.1", "car e"), SEMANTIC);
    assertEquals(await ask(app, "192.0.2.1", "car f"), PRIVATE);
  } finally {
    Date.now = now;
  }
});

for (const status of [400, 413, 422]) {
  testOnDatabases(`A question refused with ${status} is no failure`, async (database) => {
    await using server = startEmbeddingServer();
    await using app = await start(database, server);
    server.judge = ({ input: [text] }) => text!.includes("odd") ? { kind: "status", status } : null;
    for (const client of [1, 2, 3, 4]) {
      assertEquals(await ask(app, `192.0.2.${client}`, `odd ${client}`), PUBLIC);
    }
    assertEquals(await ask(app, "192.0.2.1", "car"), SEMANTIC);
    assertEquals(server.requests.length, 5);
    app.advance(61);
    assertEquals(await ask(app, "192.0.2.5", "Odd 1"), PUBLIC);
    assertEquals(await ask(app, "192.0.2.5", "odd 1", "&page=2"), PUBLIC);
    assertEquals(server.requests.length, 5);
  });
}

testOnDatabases("A question of nothing but separators is no search", async (database) => {
  await using server = startEmbeddingServer();
  for (const variant of ["a", "b"]) {
    await using app = await start(database, server, { ROADMAP_VARIANT: variant });
    for (const q of ["%1f", "%20%1f%20", "%1f%1f"]) {
      const response = await app.fetch(`/api/releases?q=${q}`);
      assertEquals(response.headers.get("x-search-mode"), null);
      const { pagination, links } = await response.json();
      assertEquals([pagination.total_items, links.first], [
        2,
        "/api/releases?page=1&page_size=50",
      ]);
    }
    const { pagination, links } = await app.json("/api/releases?q=%1fcar%1fkeys%1f");
    assert(pagination.total_items >= 1);
    assertEquals(links.first, "/api/releases?q=car%20keys&page=1&page_size=50");
    assertEquals(server.requests.map(({ input }) => input), variant === "a" ? [["car keys"]] : []);
  }
});

testOnDatabases("Only the begin of a long question is sent", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  const words = Array.from({ length: 200 }, (_, number) => `w${number % 10}`).join(" ");
  assertEquals(await ask(app, "192.0.2.1", words), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", `${words} more`), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", "🚲".repeat(1_000)), SEMANTIC);
  const sent = server.requests.map(({ input: [text] }) => text!);
  assertEquals(sent, [words.split(" ").slice(0, 100).join(" "), "🚲".repeat(500)]);
});

testOnDatabases("Metrics count new questions by what became of them", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "4", QUESTION_BUDGET: "5" });
  for (const q of ["car a", "car b", "car a", "car c"]) await ask(app, "192.0.2.1", q);
  server.trouble = { kind: "status", status: 500 };
  for (const q of ["car d", "car e", "car f"]) await ask(app, "192.0.2.1", q);
  server.trouble = null;
  for (const q of ["car g", "car h"]) await ask(app, "192.0.2.2", q);
  const metrics = await (await app.fetch("/metrics")).text();
  const samples = metrics.match(/^roadcast_questions_total.*$/gm);
  assertEquals(samples, [
    'roadcast_questions_total{outcome="asked"} 5',
    'roadcast_questions_total{outcome="over_limit"} 2',
    'roadcast_questions_total{outcome="over_budget"} 1',
    'roadcast_questions_total{outcome="too_many_at_once"} 0',
    'roadcast_questions_total{outcome="left_alone"} 0',
  ]);
});
