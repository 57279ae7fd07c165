import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { recordLog } from "../support/log.ts";
import { ask, from, PRIVATE, PUBLIC, SEMANTIC, start } from "../support/subjects/questions.ts";
import { slowOnDatabases } from "../support/slow.ts";

testOnDatabases("A client can ask QUESTION_LIMIT new questions an hour", async (database) => {
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

slowOnDatabases("Tables and feeds count the questions of a network as well", async (database) => {
  await using server = startEmbeddingServer();
  for (
    const path of ["/releases.csv", "/rss.xml", "/atom.xml", "/feed.json", "/search.json", "/"]
  ) {
    await using app = await start(database, server, { QUESTION_LIMIT: "1" });
    for (const last of [1, 2, 3]) {
      const client = `2001:db8:${path.length}:2::${last}`;
      const q = `car ${path.length} ${last}`;
      const response = await app.fetch(`${path}?q=${encodeURIComponent(q)}`, from(client));
      assertEquals(response.status, 200);
      await response.body?.pipeTo(new WritableStream());
    }
    assertEquals(server.requests.length, 1, path);
    await database.query(sql`delete from item_rows`);
    server.requests.length = 0;
  }
});

testOnDatabases("All processes on a database share the counts, for an hour", async (database) => {
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

testOnDatabases("All clients together can ask QUESTION_BUDGET new questions", async (database) => {
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
  match(warnings[0]!, /QUESTION_BUDGET reached: 3 new queries within an hour/);
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

testOnDatabases("A client over its limit does not affect others", async (database) => {
  await using server = startEmbeddingServer();
  await using app = await start(database, server, { QUESTION_LIMIT: "1" });
  await ask(app, "192.0.2.1", "car a");
  await ask(app, "192.0.2.2", "car b");
  assertEquals(await ask(app, "192.0.2.1", "car c"), PRIVATE);
  assertEquals(await ask(app, "192.0.2.3", "car c"), SEMANTIC);
  // Two who may not ask, and a third one; each gets bytes that it can read.
  const answers: unknown[] = [];
  for (const client of ["192.0.2.1", "192.0.2.2", "192.0.2.6", "192.0.2.1"]) {
    const { status, headers } = await app.fetch(
      "/?q=car+f",
      from(client, { "Accept-Encoding": "br" }),
    );
    answers.push([status, headers.get("content-encoding"), headers.get("cache-control")]);
  }
  assertEquals(answers, [[200, "br", "private, max-age=60"], [200, "br", "private, max-age=60"], [
    200,
    "br",
    "public, no-cache",
  ], [200, "br", "public, no-cache"]]);
});

testOnDatabases("Metrics count new questions by outcome", async (database) => {
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
