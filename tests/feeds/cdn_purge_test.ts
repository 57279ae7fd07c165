import { deepStrictEqual as assertEquals, match, ok as assert, throws } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { makeDue } from "../support/subjects/clock.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

const TAG = "roadcast-example.com-road";
const BASE_URL = "https://example.com/road";
const SECRET = "Bearer of-the-cdn 42";

const moved = (day: string) => [makeItem(1, { release_date: day })];

/** A CDN on loopback that answers as it is told. */
function startCdn(status: () => number) {
  const asked: string[][] = [];
  const server = serveSource(async (request) => {
    const { method, headers } = request;
    asked.push([method, headers.get("authorization") ?? "", await request.text()]);
    return new Response(null, { status: status(), statusText: `not ${SECRET}` });
  });
  return {
    url: `${server.url}/zones/1/purge_cache`,
    take: () => asked.splice(0),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function runJobs(app: TestApp): Promise<void> {
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  await (await app.fetch("/road/api/work", { method: "POST", headers })).body?.cancel();
}

testOnDatabases(
  "A CDN is asked once after an import to forget the tag of the site",
  async (database) => {
    let status = 200;
    await using cdn = startCdn(() => status);
    const settings = {
      ADMIN_TOKEN,
      BASE_URL,
      ROADMAP_VARIANT: "both",
      CDN_PURGE_URL: cdn.url,
      CDN_PURGE_HEADER: `Authorization: ${SECRET}`,
    };
    await importItems(database, moved("2026-09-30"), { asOf: "2026-07-01" });
    await using app = await startApp(database, settings);
    await using other = await startApp(database, settings);
    await runJobs(app);
    assertEquals(cdn.take(), []);
    await importItems(database, moved("2026-12-31"), { asOf: "2026-07-02" });
    await Promise.all([runJobs(app), runJobs(other)]);
    const purge = ["POST", SECRET, JSON.stringify({ tags: [TAG], CacheTag: TAG })];
    assertEquals(cdn.take(), [purge]);
    await importItems(database, moved("2026-12-31"), { asOf: "2026-07-03" });
    await runJobs(app);
    assertEquals(cdn.take(), [], "nothing has changed");

    // What fails is tried again, and no line has the secret.
    await using log = await recordLog();
    status = 503;
    await importItems(database, moved("2027-03-31"), { asOf: "2026-07-04" });
    await runJobs(app);
    await runJobs(app);
    assertEquals(cdn.take(), [purge]);
    status = 200;
    await makeDue(database, "cdn");
    await runJobs(app);
    assertEquals(cdn.take(), [purge]);
    await runJobs(app);
    assertEquals(cdn.take(), []);
    const lines = log.lines.filter((line) => line.includes("cdn"));
    assertEquals(lines.length, 1, lines.join("\n"));
    match(lines[0]!, /Cannot notify cdn of changes, trying again: 127.0.0.1:\d+ responded 503/);
    assert(!log.lines.some((line) => line.includes("of-the-cdn")), lines[0]);
  },
);

testOnDatabases(
  "What changes with the data has the tag, and what does not has none",
  async (database) => {
    await importItems(database, moved("2026-09-30"));
    await using app = await startApp(database, { BASE_URL, ADMIN_TOKEN, ROADMAP_VARIANT: "both" });
    const tagsOf = async (path: string) => {
      const { headers, body } = await app.fetch(path);
      await body?.cancel();
      return [headers.get("cache-tag"), headers.get("surrogate-key")];
    };
    const { release_item_id } = moved("")[0]!;
    const changing = [
      "/",
      "/changelog",
      `/release/${release_item_id}`,
      "/api/releases",
      "/rss.xml",
    ];
    for (const path of [...changing, "/calendar.ics", "/b/", "/b/api/releases", "/search.json"]) {
      assertEquals(await tagsOf(`/road${path}`), [TAG, TAG], path);
    }
    for (const path of ["/health", "/nothing", "/admin", "/releases.csv"]) {
      assertEquals(await tagsOf(`/road${path}`), [null, null], path);
    }
  },
);

Deno.test("The address and the header of a CDN are read, and their mistakes name no secret", () => {
  const read = (given: Record<string, string>) => () => readConfig(given);
  const url = { CDN_PURGE_URL: "https://api.example.com/purge" };
  read({ ...url, CDN_PURGE_HEADER: "Fastly-Key: abc" })();
  read(url)();
  throws(read({ CDN_PURGE_HEADER: "Fastly-Key: abc" }), /CDN_PURGE_URL is required/);
  throws(read({ CDN_PURGE_URL: "https://me:word@api.example.com/" }), /without a user/);
  for (const CDN_PURGE_HEADER of ["hunter2", "Fastly-Key:", "Fastly Key: hunter2"]) {
    throws(
      read({ ...url, CDN_PURGE_HEADER }),
      (error: Error) => !error.message.includes("hunter2"),
    );
  }
});
