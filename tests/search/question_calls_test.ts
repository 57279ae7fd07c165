import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { EmbeddingError } from "../../lib/search/embedding_error.ts";
import { QuestionCalls } from "../../lib/search/question_limits.ts";
import { testOnDatabases } from "../support/databases.ts";
import { type EmbeddingServer, startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { ask, PRIVATE, PUBLIC, SEMANTIC, start } from "../support/subjects/questions.ts";
import { slowOnDatabases } from "../support/slow.ts";
import { waitFor } from "../support/wait_for.ts";

/** Has the service take its time for each answer; tells how many it makes at once at most. */
function countAtOnce(server: EmbeddingServer): () => number {
  let running = 0;
  let most = 0;
  async function answerLater(): Promise<void> {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 50));
    running--;
  }
  Object.defineProperty(server, "gate", { get: () => answerLater() });
  return () => most;
}

testOnDatabases("A client may ask some questions at once", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  const questions = [1, 2, 3, 4].map((number) => ask(app, "192.0.2.1", `car ${number}`));
  assertEquals(await Promise.all(questions), Array(4).fill(SEMANTIC));
});

slowOnDatabases("All clients together make few concurrent calls", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  const most = countAtOnce(server);
  const flood = Array.from(
    { length: 60 },
    (_, number) => ask(app, `192.0.2.${number % 20}`, `car ${number}`),
  );
  const modes = Map.groupBy(await Promise.all(flood), ([mode]) => mode);
  // On a busy machine the time of a question may end while it is sent.
  const { length: answered } = modes.get("semantic") ?? [];
  assert(answered > 0 && answered <= server.requests.length && server.requests.length <= 60);
  for (const answer of modes.get("substring") ?? []) assertEquals(answer, PUBLIC);
  assert(most() <= 4, `4 questions of all at once, not ${most()}`);
});

Deno.test("Of many questions at once 4 are sent", async () => {
  const calls = new QuestionCalls();
  let [running, most] = [0, 0];
  const results = await Promise.allSettled(Array.from({ length: 200 }, () =>
    calls.run(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    })));
  const sent = results.filter(({ status }) => status === "fulfilled").length;
  assertEquals([most, sent], [4, 4]);
});

slowOnDatabases("A service that hangs holds up no other response", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  server.trouble = { kind: "hang" };
  let isOver = false;
  const questions = Array.from(
    { length: 60 },
    (_, number) => ask(app, `192.0.2.${number % 20}`, `car ${number}`),
  );
  const all = Promise.all(questions).then(() => isOver = true);
  await waitFor("the service", () => server.requests.length === 4);
  for (const size of [7, 8, 9]) await app.json(`/api/releases?page_size=${size}`);
  assertEquals(isOver, false, "they were built while the service was silent");
  await all;
  assertEquals(await Promise.all(questions), Array(60).fill(PUBLIC));
});

Deno.test("After its rest a failing service is asked one question alone", async () => {
  const calls = new QuestionCalls();
  let asked = 0;
  const fail = () =>
    calls.run(async () => {
      asked++;
      await Promise.resolve();
      throw new EmbeddingError("It does not work");
    }).catch(() => {});
  for (let count = 0; count < 5; count++) await fail();
  assertEquals(asked, 3);
  const { now } = Date;
  try {
    Date.now = () => now() + 31_000;
    await Promise.all(Array.from({ length: 10 }, fail));
    assertEquals(asked, 4);
    await calls.run(() => Promise.resolve()).then(() => asked++, () => {});
    assertEquals(asked, 4, "it rests again");
    Date.now = () => now() + 62_000;
    await calls.run(() => Promise.resolve());
    await Promise.all(Array.from({ length: 2 }, fail));
    assertEquals(asked, 6, "an answer ends the rest");
  } finally {
    Date.now = now;
  }
});

slowOnDatabases("Questions not sent to a paused service are not counted", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "4" });
  server.judge = ({ input: [text] }) =>
    text!.includes("poison") ? { kind: "status", status: 500 } : null;
  for (const q of ["a", "b"]) assertEquals(await ask(app, "192.0.2.1", `poison ${q}`), PUBLIC);
  assertEquals(await ask(app, "192.0.2.2", "car a"), SEMANTIC);
  for (const q of ["c", "d"]) assertEquals(await ask(app, "192.0.2.2", `poison ${q}`), PUBLIC);
  assertEquals(await ask(app, "192.0.2.3", "car b"), SEMANTIC);
  for (const client of [3, 4, 5]) await ask(app, `192.0.2.${client}`, `poison ${client}`);
  assertEquals(await ask(app, "192.0.2.1", "car c"), PUBLIC);
  assertEquals(server.requests.length, 9);
  const { now } = Date;
  try {
    Date.now = () => now() + 31_000;
    assertEquals(await ask(app, "192.0.2.1", "car d"), SEMANTIC);
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

testOnDatabases("A question of separators only is no search", async (database) => {
  await using server = startEmbeddingServer();
  for (const variant of ["a", "b"]) {
    await using app = await start(database, server, { ROADMAP_VARIANT: variant });
    for (const q of ["%1f", "%20%1f%20", "%1f%1f"]) {
      const response = await app.fetch(`/api/releases?q=${q}`);
      assertEquals(response.headers.get("x-search-mode"), null);
      const { pagination, links } = await response.json();
      assertEquals([pagination.total_items, links.first], [2, "/api/releases?page=1&page_size=50"]);
    }
    const { pagination, links } = await app.json("/api/releases?q=%1fcar%1fkeys%1f");
    assert(pagination.total_items >= 1);
    assertEquals(links.first, "/api/releases?q=car%20keys&page=1&page_size=50");
    assertEquals(server.requests.map(({ input }) => input), variant === "a" ? [["car keys"]] : []);
  }
});

testOnDatabases("Only the start of a long question is sent", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server);
  const words = Array.from({ length: 200 }, (_, number) => `w${number % 10}`).join(" ");
  assertEquals(await ask(app, "192.0.2.1", words), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", `${words} more`), SEMANTIC);
  assertEquals(await ask(app, "192.0.2.1", "🚲".repeat(1_000)), SEMANTIC);
  const sent = server.requests.map(({ input: [text] }) => text!);
  assertEquals(sent, [words.split(" ").slice(0, 100).join(" "), "🚲".repeat(500)]);
});
