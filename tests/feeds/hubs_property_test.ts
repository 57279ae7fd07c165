import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { runs } from "../support/slow.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

const FEEDS = ["/rss", "/rss.xml", "/atom.xml", "/feed.json"];
/** What is told of changes; the feeds of the hub one by one. The last one always accepts. */
const TOLD = [...FEEDS, "indexnow", "cdn"] as const;
/** Longer than any pause between attempts. */
const LONG = 5 * 3_600;

const answer = fc.constantFrom(204, 301, 400, 410, 422, 429, 500, 503);

const history = fc.array(
  fc.oneof(
    fc.constant({ does: "import" as const }),
    fc.record({
      does: fc.constant("wait" as const),
      seconds: fc.constantFrom(1, 31, 601, LONG, LONG),
    }),
    fc.record({ does: fc.constant("answer" as const), who: fc.nat(TOLD.length - 2), answer }),
  ),
  { minLength: 5, maxLength: 40 },
);

testOnDatabases(
  "Whatever hubs answer, each gets every import once it accepts, and then no more",
  async (database) => {
    const answers = new Map<string, number>(TOLD.map((who) => [who, 204]));
    const isAccepting = (who: string) => answers.get(who)! < 300;
    /** The import that each was last told of and accepted. */
    const accepted = new Map<string, number>();
    let imports = 0;
    let attempts: string[] = [];
    const mistakes: string[] = [];
    await using hub = serveSource(async (request, url) => {
      const body = await request.text();
      const who = url.pathname === "/hub"
        ? new URL(new URLSearchParams(body).get("hub.url")!).pathname
        : url.pathname.slice(1);
      attempts.push(who);
      if (isAccepting(who)) {
        const before = accepted.get(who) ?? 0;
        if (before === imports) mistakes.push(`${who} is told twice of import ${imports}`);
        for (let one = before + 1; who === "indexnow" && one <= imports; one++) {
          const page = `/release/${makeItem(one).release_item_id}"`;
          if (!body.includes(page)) mistakes.push(`${who} is not told of ${page}`);
        }
        accepted.set(who, imports);
      }
      return new Response(null, { status: answers.get(who)! });
    });
    await using app = await startApp(database, {
      ADMIN_TOKEN,
      WEBSUB_HUB: `${hub.url}/hub`,
      INDEXNOW_KEY: "a-key-of-the-site",
      INDEXNOW_URL: `${hub.url}/indexnow`,
      CDN_PURGE_URL: `${hub.url}/cdn`,
    });
    async function work() {
      attempts = [];
      const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
      const response = await app.fetch("/api/work", { method: "POST", headers });
      assertEquals([response.status, (await response.text()).length > 0], [200, true]);
      assertEquals(mistakes, []);
      // One run asks each at most once, and nobody waits for those that fail.
      assertEquals(attempts.length, new Set(attempts).size);
      assertEquals(accepted.get("cdn") ?? 0, imports);
    }
    /** Lets time pass in the database, whose clock decides. */
    async function pass(seconds: number) {
      await database.query(sql`
        update schedules set due_at = due_at - make_interval(secs => ${seconds}::float8)
        where name in ('websub', 'indexnow', 'cdn')
      `);
      await work();
    }
    await work();
    await fc.assert(
      // One history after the other, as in the years of a service.
      fc.asyncProperty(history, async (steps) => {
        for (const step of steps) {
          if (step.does === "answer") answers.set(TOLD[step.who]!, step.answer);
          else if (step.does === "wait") await pass(step.seconds);
          else {
            await importItems(database, [makeItem(imports + 1)], { partial: true });
            imports += 1;
            await work();
          }
        }
        for (const who of TOLD) answers.set(who, 204);
        await pass(LONG);
        assertEquals(accepted.get("indexnow") ?? 0, imports);
        // A feed that the hub refused is told of again with the next import.
        const ever = FEEDS.map((feed) => accepted.get(feed) ?? 0);
        assertEquals(Math.max(...ever), imports);
        await pass(LONG);
        assertEquals(attempts, []);
      }),
      { numRuns: runs(40, database), endOnFailure: true },
    );
  },
);
