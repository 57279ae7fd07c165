import { deepStrictEqual as assertEquals, match, ok as assert, throws } from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readConfig } from "../../lib/config/config.ts";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { startWebSubHub } from "../support/servers/websub_hub.ts";
import { makeDue } from "../support/subjects/clock.ts";

const KEY = "0f5c5c-key-of-the-site";
const FEEDS = ["/rss", "/rss.xml", "/atom.xml", "/feed.json"];

/** A receiver on loopback that remembers the bodies it was sent, and answers as it is told. */
function startReceiver(answer: () => Response | Promise<Response>) {
  const bodies: string[] = [];
  const server = serveSource(async (request) => {
    bodies.push(`${request.method} ${request.headers.get("content-type")} ${await request.text()}`);
    return await answer();
  });
  return {
    url: `${server.url}/hub`,
    take: () => bodies.splice(0),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function runJobs(app: TestApp): Promise<Record<string, unknown>> {
  const response = await app.fetch("/api/work", {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  return await response.json();
}

const move = (number: number, day: string) => makeItem(number, { release_date: day });

testOnDatabases(
  "A hub is notified once of each unfiltered feed after an import with changes",
  async (database) => {
    await using hub = startReceiver(() => new Response(null, { status: 204 }));
    const settings = {
      ADMIN_TOKEN,
      ROADMAP_VARIANT: "both",
      BASE_URL: "https://example.com/road",
      WEBSUB_HUB: hub.url,
    };
    await importItems(database, [move(1, "2026-09-30")], { asOf: "2026-07-01" });
    await using app = await startApp(database, settings);
    await using other = await startApp(database, settings);
    await runJobs(app);
    assertEquals(hub.take(), []);
    await importItems(database, [move(1, "2026-12-31")], { asOf: "2026-07-02" });
    await Promise.all([runJobs(app), runJobs(other)]);
    const notified = hub.take().map((body) => {
      const [, form] = /^POST application\/x-www-form-urlencoded;charset=UTF-8 (.*)$/.exec(body)!;
      const fields = new URLSearchParams(form);
      assertEquals(fields.get("hub.mode"), "publish");
      assertEquals(fields.get("hub.topic"), fields.get("hub.url"));
      return fields.get("hub.url");
    });
    assertEquals(
      notified,
      ["", "/b"].flatMap((site) => FEEDS.map((path) => `https://example.com/road${site}${path}`)),
    );
    await runJobs(app);
    await importItems(database, [move(1, "2026-12-31")], { asOf: "2026-07-03" });
    await runJobs(other);
    assertEquals(hub.take(), []);
  },
);

testOnDatabases("A hub's subscriber gets the changes of an import", async (database) => {
  let site: TestApp | null = null;
  await using hub = startWebSubHub((topic) => site!.fetch(topic));
  const received: { content: string; signature: string | null }[] = [];
  await using subscriber = serveSource(async (request, url) => {
    if (request.method === "GET") return new Response(url.searchParams.get("hub.challenge"));
    const signature = request.headers.get("x-hub-signature");
    received.push({ content: await request.text(), signature });
    return new Response();
  });
  await importItems(database, [move(1, "2026-09-30")], { asOf: "2026-07-01" });
  await using app = await startApp(database, { ADMIN_TOKEN, WEBSUB_HUB: hub.url });
  site = app;
  await runJobs(app);
  // As a reader does: it takes both addresses from the feed.
  const { feed_url, hubs } = await app.json("/feed.json");
  const secret = "of-the-subscriber";
  const accepted = await fetch(hubs[0].url, {
    method: "POST",
    body: new URLSearchParams({
      "hub.mode": "subscribe",
      "hub.topic": feed_url,
      "hub.callback": subscriber.url,
      "hub.secret": secret,
    }),
  });
  await accepted.body?.cancel();
  assertEquals(accepted.status, 202);
  await importItems(database, [move(1, "2026-12-31")], { asOf: "2026-07-02" });
  await runJobs(app);
  assertEquals(hub.refused, []);
  const [{ content, signature }, ...more] = received as [typeof received[0]];
  assertEquals(more, []);
  assertEquals(JSON.parse(content).feed_url, feed_url);
  match(content, /Q4 2026/);
  const expected = createHmac("sha256", secret).update(content).digest("hex");
  assertEquals(signature, `sha256=${expected}`);
});

testOnDatabases(
  "Every feed links to itself, and one without a filter to the hub",
  async (database) => {
    const WEBSUB_HUB = "https://hub.example.com/?a=1&b=2";
    await using app = await startApp(database, { WEBSUB_HUB });
    await using without = await startApp(database);
    for (const path of FEEDS) {
      const self = `http://localhost:8000${path}`;
      const response = await app.fetch(path);
      assertEquals(
        response.headers.get("link"),
        `<${WEBSUB_HUB}>; rel="hub", <${self}>; rel="self"`,
      );
      const text = await response.text();
      if (path === "/feed.json") {
        assertEquals(JSON.parse(text).hubs, [{ type: "WebSub", url: WEBSUB_HUB }]);
        assertEquals(JSON.parse(text).feed_url, self);
      } else {
        const links = [...text.matchAll(/<(?:atom:)?link [^>]*>/g)].map(([link]) => link);
        const hubs = links.filter((link) => link.includes('rel="hub"'));
        assertEquals(hubs.length, 1);
        assert(hubs[0]!.includes(`href="${WEBSUB_HUB.replace("&", "&amp;")}"`), hubs[0]);
        assert(
          links.some((link) => link.includes('rel="self"') && link.includes(`href="${self}"`)),
        );
      }
      for (
        const other of [
          await app.fetch(`${path}?product_name=Product`),
          await app.fetch(`${path}?limit=3`),
          await without.fetch(path),
        ]
      ) {
        match(other.headers.get("link")!, /^<[^>]*>; rel="self"$/);
        assert(!/hub/.test(await other.text()));
      }
    }
  },
);

testOnDatabases("A search engine is notified of changed pages, with the key", async (database) => {
  await using engine = startReceiver(() => new Response("", { status: 202 }));
  const items = [move(1, "2026-09-30"), move(2, "2026-09-30"), move(3, "2026-09-30")];
  await importItems(database, items, { asOf: "2026-07-01" });
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    BASE_URL: "https://example.com/road",
    INDEXNOW_KEY: KEY,
    INDEXNOW_URL: engine.url,
  });
  await runJobs(app);
  // One moves and one is removed.
  await importItems(database, [move(1, "2026-12-31"), items[1]!], { asOf: "2026-07-02" });
  await runJobs(app);
  const [body, ...more] = engine.take();
  assertEquals(more, []);
  const [, json] = /^POST application\/json; charset=utf-8 (.*)$/.exec(body!)!;
  const { urlList, ...others } = JSON.parse(json!);
  assertEquals(others, {
    host: "example.com",
    key: KEY,
    keyLocation: `https://example.com/road/${KEY}.txt`,
  });
  const page = ({ release_item_id }: Record<string, unknown>) =>
    `https://example.com/road/release/${release_item_id}`;
  assertEquals(
    urlList.toSorted(),
    [
      "https://example.com/road/",
      "https://example.com/road/changelog",
      page(items[0]!),
      page(items[2]!),
    ].toSorted(),
  );
  const key = await app.fetch(`/road/${KEY}.txt`);
  assertEquals([key.status, key.headers.get("content-type"), await key.text()], [
    200,
    "text/plain; charset=utf-8",
    KEY,
  ]);
  assertEquals((await app.fetch("/road/another-key.txt")).status, 404);
  assertEquals((await app.fetch("/road/undefined.txt")).status, 404);
});

testOnDatabases("The key is served only if it is set", async (database) => {
  await using app = await startApp(database);
  for (const name of [KEY, "undefined"]) {
    assertEquals((await app.fetch(`/${name}.txt`)).status, 404);
  }
});

testOnDatabases(
  "A failing hub is tried until it accepts, which takes two lines of the log",
  async (database) => {
    let status = 500;
    await using hub = startReceiver(() => new Response("no", { status }));
    await importItems(database, [move(1, "2026-09-30")], { asOf: "2026-07-01" });
    await using app = await startApp(database, { ADMIN_TOKEN, WEBSUB_HUB: hub.url });
    await runJobs(app);
    await importItems(database, [move(1, "2026-12-31")], { asOf: "2026-07-02" });
    await using log = await recordLog();
    const linesOf = () => log.lines.filter((line) => line.includes("websub"));
    await runJobs(app);
    assertEquals(hub.take().length, FEEDS.length);
    match(
      linesOf()[0]!,
      /^warning Cannot notify websub of changes, trying again: 127\.0\.0\.1:\d+ responded 500/,
    );
    // Not before its time.
    await runJobs(app);
    assertEquals(hub.take(), []);
    for (let attempt = 2; attempt <= 6; attempt++) {
      await makeDue(database);
      await runJobs(app);
      assertEquals(hub.take().length, FEEDS.length, `attempt ${attempt}`);
    }
    match(
      linesOf()[1]!,
      /^error websub was not notified of changes for hours, still trying: 127\.0\.0\.1:\d+ responded 500/,
    );
    // What changes meanwhile is not lost either.
    await importItems(database, [move(1, "2027-03-31")], { asOf: "2026-07-03" });
    for (let attempt = 7; attempt <= 9; attempt++) {
      await makeDue(database);
      await runJobs(app);
      assertEquals(hub.take().length, FEEDS.length, `attempt ${attempt}`);
    }
    assertEquals(linesOf().length, 2);
    status = 200;
    await makeDue(database);
    await runJobs(app);
    assertEquals(hub.take().length, FEEDS.length);
    await makeDue(database);
    await runJobs(app);
    assertEquals(hub.take(), []);
  },
);

testOnDatabases("A hub that refuses a feed gets all others, each once", async (database) => {
  const posted: string[] = [];
  let failsAt = "";
  await using hub = serveSource(async (request) => {
    const feed = new URL(new URLSearchParams(await request.text()).get("hub.url")!).pathname;
    posted.push(feed);
    const status = feed === failsAt ? 503 : feed.endsWith(".json") ? 400 : 204;
    return new Response(null, { status });
  });
  const sites = ["", "/b"];
  const all = sites.flatMap((path) => FEEDS.map((feed) => path + feed));
  await importItems(database, [move(1, "2026-09-30")], { asOf: "2026-07-01" });
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    ROADMAP_VARIANT: "both",
    WEBSUB_HUB: `${hub.url}/hub`,
  });
  await runJobs(app);
  await using log = await recordLog();
  for (const [day, quarter] of [["2026-07-02", "2026-12-31"], ["2026-07-03", "2027-03-31"]]) {
    await importItems(database, [move(1, quarter!)], { asOf: day! });
    await runJobs(app);
    await makeDue(database);
    await runJobs(app);
    assertEquals(posted.splice(0), all);
  }
  const lines = log.lines.filter((line) => line.includes("The hub does not take"));
  assertEquals(lines.length, 2, log.lines.join("\n"));
  match(lines[0]!, /^warning .*\/feed\.json: 127\.0\.0\.1:\d+ responded 400/);

  // One that fails for a feed gets those after it, and is asked for that one again.
  failsAt = "/b/rss.xml";
  await importItems(database, [move(1, "2027-06-30")], { asOf: "2026-07-04" });
  await runJobs(app);
  assertEquals(posted.splice(0), all);
  await makeDue(database);
  await runJobs(app);
  const refused = all.filter((feed) => feed.endsWith(".json"));
  assertEquals(posted.splice(0).sort(), [...refused, failsAt].sort());
  failsAt = "";
  await makeDue(database);
  await runJobs(app);
  assertEquals(posted.splice(0).sort(), [...refused, "/b/rss.xml"].sort());
  await makeDue(database);
  await runJobs(app);
  assertEquals(posted, []);
});

testOnDatabases("An unreachable hub fails, and redirects are not followed", async (database) => {
  await importItems(database, [move(1, "2026-09-30")], { asOf: "2026-07-01" });
  await using elsewhere = startReceiver(() => new Response());
  await using hub = startReceiver(() => Response.redirect(elsewhere.url, 307));
  const away = startReceiver(() => new Response());
  await away[Symbol.asyncDispose]();
  for (
    const [url, reason] of [[hub.url, /responded 307/], [
      away.url,
      /no server answers at 127/,
    ]] as const
  ) {
    await using app = await startApp(database, { ADMIN_TOKEN, WEBSUB_HUB: url });
    await runJobs(app);
    await importItems(database, [move(1, url === hub.url ? "2026-12-31" : "2027-03-31")], {
      asOf: "2026-07-02",
    });
    await using log = await recordLog();
    await makeDue(database);
    await runJobs(app);
    match(log.lines.find((line) => line.includes("websub"))!, reason);
    await database.query(sql`delete from schedules`);
    await database.query(sql`delete from notified_services`);
  }
  assertEquals(elsewhere.take(), []);
});

Deno.test("Invalid hub settings are refused with valid examples", () => {
  const refuse = (settings: Record<string, string>, reason: RegExp) =>
    throws(() => readConfig(settings), { message: reason });
  refuse({ WEBSUB_HUB: "hub.example.com" }, /WEBSUB_HUB .*an http or https address/);
  refuse({ INDEXNOW_KEY: KEY }, /INDEXNOW_URL is required with INDEXNOW_KEY/);
  refuse({ INDEXNOW_URL: "https://engine.example/indexnow" }, /INDEXNOW_KEY is required with/);
  refuse(
    { INDEXNOW_URL: "https://engine.example/indexnow", INDEXNOW_KEY: "short" },
    /INDEXNOW_KEY .*8 to 128 letters, digits and hyphens/,
  );
});
