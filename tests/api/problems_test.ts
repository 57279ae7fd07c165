import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readLanguage, speak } from "../../lib/text/messages.ts";
import { READ_PATHS } from "../support/read_paths.ts";
import { watchDatabase } from "../support/watched_database.ts";
import { ROUTES } from "../../routes/table.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = makeItem(1).release_item_id;
const READS = READ_PATHS.filter((path) => !path.startsWith("/b/") && !path.includes("?"));

testOnDatabases("An unsupported method gets 405 with Allow", async (database) => {
  await using app = await startApp(database);
  for (const path of READS) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      const response = await app.fetch(path, { method });
      assertEquals([path, method, response.status], [path, method, 405]);
      assertEquals(response.headers.get("allow"), "GET, HEAD, OPTIONS");
      assertEquals(response.headers.get("content-type"), "application/problem+json");
      assertEquals(response.headers.get("cache-control"), "no-store");
      assertEquals(await response.json(), {
        type: "about:blank",
        title: "Method Not Allowed",
        status: 405,
        detail: `${method} is not allowed here, only GET, HEAD, OPTIONS`,
      });
    }
  }
  const page = await app.fetch("/", { method: "POST" });
  assertEquals([page.status, page.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
  assertEquals(page.headers.get("content-type"), "text/html; charset=utf-8");
});

testOnDatabases("An unknown URL gets 404 in the requested format", async (database) => {
  await using app = await startApp(database);
  for (const path of ["/api/nothing", "/api/releases/x", "/b/rss"]) {
    const response = await app.fetch(path);
    assertEquals([path, response.status], [path, 404]);
    assertEquals(response.headers.get("content-type"), "application/problem+json");
    assertEquals(response.headers.get("cache-control"), "no-store");
    const { type, title, status } = await response.json();
    assertEquals([type, title, status], ["about:blank", "Not Found", 404]);
  }
  for (const path of ["/nothing", "/favicon", "/%3Cscript%3E", "/../../etc/passwd"]) {
    const response = await app.fetch(path);
    assertEquals([path, response.status], [path, 404]);
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    assertEquals(response.headers.get("cache-control"), "no-store");
    const html = await response.text();
    assertMatch(html, /^<!doctype html><html lang="en">.*<h1>Page not found<\/h1>/s);
    assertEquals(html.includes("<script>"), false);
  }
});

slowOnDatabases("No response may be sniffed, whatever its kind", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    ADMIN_TOKEN: "a-token-of-the-operators-0123456789",
  });
  const stylesheet = /\/assets\/style[^"]*/.exec(await (await app.fetch("/")).text())![0];
  const requests: [method: string, path: string][] = ROUTES.map(({ method, path }) => [
    method,
    path === "/assets/:name" ? stylesheet : path.replace(":release_item_id", String(ID)),
  ]);
  for (const [method, path] of requests) {
    // Built, then from memory, then not modified; of what acts, whatever is wrong with it.
    for (const headers of [undefined, undefined, { "If-None-Match": "*" }]) {
      const response = await app.fetch(path, { method, headers });
      const sniffing = response.headers.get("x-content-type-options");
      assertEquals([method, path, sniffing], [method, path, "nosniff"]);
    }
  }
  const others: [method: string, path: string][] = [
    ["HEAD", "/api/releases"],
    ["OPTIONS", "/api/releases"],
    ["DELETE", "/api/releases"],
    ["GET", "/api/nothing"],
    ["GET", "/nothing"],
    ["GET", "/b/api/releases"],
  ];
  for (const [method, path] of others) {
    const { headers } = await app.fetch(path, { method });
    assertEquals([path, headers.get("x-content-type-options")], [path, "nosniff"]);
  }
});

testOnDatabases("An internal error gets 500 without its reason", async (database) => {
  await importItems(database, [makeItem(1)]);
  const watched = watchDatabase(database);
  await using app = await startApp(watched);
  watched.fail(new Error("secret reason"));
  for (const path of READS) {
    const response = await app.fetch(path);
    assertEquals([path, response.status], [path, 500]);
    assertEquals(response.headers.get("cache-control"), "no-store");
    assertEquals(await response.json(), {
      type: "about:blank",
      title: "Internal Server Error",
      status: 500,
      detail: "Something went wrong on this server",
    });
  }
  const page = await app.fetch("/");
  assertEquals(page.status, 500);
  assertEquals((await page.text()).includes("secret reason"), false);
});

testOnDatabases("Pages of other origins may read everything", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database);
  const origin = { headers: { Origin: "https://elsewhere.example" } };
  for (const path of [...READS, "/api/releases?page=x", "/api/nothing"]) {
    const response = await app.fetch(path, origin);
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    assertMatch(response.headers.get("access-control-expose-headers")!, /\bETag\b.*\bLink\b/);
  }
});

testOnDatabases("OPTIONS lists the methods of a URL", async (database) => {
  await using app = await startApp(database);
  for (const path of READS) {
    const response = await app.fetch(path, {
      method: "OPTIONS",
      headers: {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "if-none-match",
      },
    });
    assertEquals([path, response.status], [path, 204]);
    assertEquals(response.headers.get("allow"), "GET, HEAD, OPTIONS");
    assertEquals(response.headers.get("access-control-allow-origin"), "*");
    assertEquals(response.headers.get("access-control-allow-methods"), "GET, HEAD, OPTIONS");
    assertEquals(response.headers.get("access-control-allow-headers"), "*");
  }
  assertEquals((await app.fetch("/api/nothing", { method: "OPTIONS" })).status, 404);
});

testOnDatabases(
  "Pages say what is wrong in their language, and programs read it in English",
  async (database) => {
    await using app = await startApp(database);
    const before = speak(readLanguage("de"));
    try {
      const words = encodeURIComponent("x".repeat(1_001));
      const expected: readonly (readonly [path: string, page: string, detail: string])[] = [[
        `?q=${words}`,
        "Die Suche: höchstens 1.000 Zeichen sind möglich.",
        "q must be at most 1,000 characters",
      ], [
        "?release_date_from=x",
        "Verwenden Sie ein Datum wie 2026-01-31 oder ein Quartal wie Q3 2026.",
        "release_date_from must be a date such as 2026-01-31, or a quarter such as Q3 2026",
      ]];
      for (const [query, page, detail] of expected) {
        const shown = await (await app.fetch(`/${query}`)).text();
        assertMatch(shown, new RegExp(`<p>${RegExp.escape(page)}</p>`));
        const problem = await (await app.fetch(`/api/releases${query}`)).json();
        assertEquals(problem.detail, detail);
        // What a page needs to say it stays here.
        assertEquals(Object.keys(problem.errors[0]), ["name", "reason"]);
      }
      const gone = await (await app.fetch(`/release/${ID}`)).text();
      assertMatch(gone, new RegExp(`<p>Es gibt kein Release mit der ID ${ID}\\.</p>`));
    } finally {
      speak(before);
    }
  },
);
