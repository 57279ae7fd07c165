import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { importItems, startApp } from "../../support/app.ts";
import { testOnDatabases } from "../../support/databases.ts";
import { makeSnapshot } from "../../support/subjects/many_items.ts";

const ITEMS = 3_000;
/** The number of concurrent requests of one client. */
const UNDER_WAY = 60;
const POLITE_REQUESTS = 10;

/** Requests that are a new search each time. */
const KINDS: Record<string, (words: string) => { path: string; body?: string }> = {
  board: (words: string) => ({ path: `/?view=board&q=${words}` }),
  list: (words: string) => ({ path: `/api/releases?page_size=200&q=${words}` }),
  mcp: (words: string) => ({
    path: "/mcp",
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_releases", arguments: { q: words } },
    }),
  }),
};

testOnDatabases("One client that sends all it can does not delay the others", async (database) => {
  await importItems(database, makeSnapshot(ITEMS));
  await using app = await startApp(database, { TRUSTED_PROXIES: "1" });
  await app.json("/api/releases");
  for (const [kind, write] of Object.entries(KINDS)) {
    let answered = 0;
    let isOver = false;
    const ask = async (client: string, words: string) => {
      const { path, body } = write(words);
      const response = await app.fetch(path, {
        headers: {
          "X-Forwarded-For": client,
          "Content-Type": "application/json",
          "Accept": "application/json, text/event-stream",
        },
        ...body !== undefined && { method: "POST", body },
      });
      await response.body?.cancel();
      return response.status;
    };
    const keepAsking = async (name: string) => {
      for (let count = 0; !isOver; count++) {
        await ask("198.51.100.1", `f${" ".repeat(count % 300)}e ${name}`);
        answered++;
      }
    };
    const hostile = Array.from({ length: UNDER_WAY }, (_, name) => keepAsking(`${kind} ${name}`));
    const between: number[] = [];
    for (let count = 0; count < POLITE_REQUESTS; count++) {
      const before = answered;
      assertEquals(await ask("192.0.2.1", `feature ${kind}${count}`), 200);
      between.push(answered - before);
    }
    isOver = true;
    await Promise.all(hostile);
    // First come, first served would let all concurrent requests go first. The median, because a
    // busy machine may delay one statement.
    const median = between.toSorted((a, b) => a - b)[POLITE_REQUESTS / 2]!;
    assert(median < UNDER_WAY / 4, `${kind}: ${between.join(", ")} were answered meanwhile`);
  }
});
