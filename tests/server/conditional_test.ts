import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { makeItem, serve, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { READ_PATHS } from "../support/read_paths.ts";

const ID = makeItem(1).release_item_id;

function ask(app: TestApp, path: string, ifNoneMatch: string, method = "GET"): Promise<Response> {
  return app.fetch(path, { method, headers: { "If-None-Match": ifNoneMatch } });
}

testOnDatabases("Every read has a weak ETag, and returns 304 for it", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2)], { ROADMAP_VARIANT: "both" });
  for (const path of READ_PATHS) {
    const full = await app.fetch(path);
    const etag = full.headers.get("etag")!;
    assertMatch(etag, /^W\/"[\x21\x23-\x7e]+"$/);
    for (const method of ["GET", "HEAD"]) {
      const response = await ask(app, path, etag, method);
      assertEquals([path, response.status], [path, 304]);
      assertEquals(await response.text(), "");
      for (const name of ["etag", "cache-control", "last-modified", "vary"]) {
        assertEquals(response.headers.get(name), full.headers.get(name));
        assertEquals(response.headers.has(name), true);
      }
      assertEquals(response.headers.get("access-control-allow-origin"), "*");
      assertEquals(response.headers.get("content-type"), null);
    }
  }
});

testOnDatabases("If-None-Match is compared weakly, in lists and with *", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  const etag = (await app.fetch("/api/releases")).headers.get("etag")!;
  const tag = etag.slice(2, -1);
  const matching = ["*", " * ", `W/${tag}"`, `${tag}"`, `w/${tag}"`, `"x", W/${tag}"`]
    .concat(...["-gzip", ";gzip", "--gzip", "-br", "-zstd"].map((coding) => `W/${tag}${coding}"`))
    .concat(`${tag}",W/"y"`, `"a,b" , W/${tag}" , "c"`, `${'"x", '.repeat(50_000)}${tag}"`);
  const others = ["", '"*"', tag.slice(1), `${tag.slice(0, -1)}"`, `${tag}d"`, '""', '"x"']
    .concat(`${tag}-x"`, `${tag}gzip"`, `"x-gzip"`);
  for (const [values, status] of [[matching, 304], [others, 200]] as const) {
    for (const value of values) {
      const answer = await ask(app, "/api/releases", value);
      assertEquals([value.slice(0, 80), answer.status], [value.slice(0, 80), status]);
    }
  }
  const missing = `/api/releases?release_item_id=${makeItem(9).release_item_id}`;
  assertEquals((await ask(app, missing, "*")).status, 404);
});

testOnDatabases("The ETag depends on the content", async (database) => {
  const items = [makeItem(1), makeItem(2)];
  await using app = await serve(database, items);
  const etagOf = async (path: string) => (await app.fetch(path)).headers.get("etag");
  const before = await etagOf("/api/releases");
  assertEquals(await etagOf("/api/releases?unknown=1&page=1"), before);
  assertEquals(await etagOf("/api/releases?page_size=1") === before, false);
  await using later = await serve(database, items);
  later.setClock("2026-07-21T08:00:00Z");
  assertEquals((await later.fetch("/api/releases")).headers.get("etag"), before);
  await using changed = await serve(database, [
    makeItem(1),
    makeItem(2, { release_status: "Shipped" }),
  ]);
  assertEquals((await changed.fetch("/api/releases")).headers.get("etag") === before, false);
});

testOnDatabases("Last-Modified: building time, or the item's own day", async (database) => {
  await using app = await serve(database, [makeItem(1)], { ROADMAP_VARIANT: "both" });
  for (const site of ["", "/b"]) {
    for (const path of ["/api/releases", `/api/releases/history/${ID}`, "/api/filter-options"]) {
      app.setClock("2026-07-20T12:00:00Z");
      const built = await app.fetch(site + path);
      assertEquals(built.headers.get("last-modified"), "Mon, 20 Jul 2026 12:00:00 GMT");
      app.advance(600);
      const kept = await app.fetch(site + path);
      assertEquals(kept.headers.get("last-modified"), "Mon, 20 Jul 2026 12:00:00 GMT");
    }
    const item = await app.fetch(`${site}/api/releases?release_item_id=${ID}`);
    assertEquals(item.headers.get("last-modified"), "Wed, 01 Jul 2026 00:00:00 GMT");
  }
});

testOnDatabases("HEAD responds like GET, without a body", async (database) => {
  await using app = await serve(database, [makeItem(1), makeItem(2)], { ROADMAP_VARIANT: "both" });
  for (
    const path of [...READ_PATHS, "/", "/api/releases?page_size=1", "/api/releases?page=x", "/no"]
  ) {
    const get = await app.fetch(path);
    const head = await app.fetch(path, { method: "HEAD" });
    assertEquals([path, head.status], [path, get.status]);
    const headers = (response: Response) =>
      [...response.headers].filter(([name]) => !["content-length", "x-request-id"].includes(name));
    assertEquals(headers(head), headers(get));
    const length = head.headers.get("content-length");
    const { byteLength } = await get.arrayBuffer();
    if (length !== null) assertEquals(Number(length), byteLength);
    assertEquals(await head.text(), "");
  }
});
