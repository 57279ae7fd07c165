import { deepStrictEqual as assertEquals } from "node:assert/strict";
import http2 from "node:http2";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { sendRaw } from "../support/raw_client.ts";
import { OPERATOR_PATHS, POISONS, spell } from "../support/odd_requests.ts";
import { READ_PATHS } from "../support/read_paths.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ITEMS = [makeItem(1), makeItem(2, { product_name: "Other" })];

const REFUSED_HOSTS = [
  "x?product_name=nothing&z=",
  "x#",
  "x/y",
  "x\\y",
  "user@x",
  "%78",
  "x y",
  "x\ty",
  "x,y",
  "é",
  "[::1",
  "::1",
  "[::1%25eth0]",
  "x:port",
  "x:80:80",
  "x".repeat(256),
  "x".repeat(60_000),
];

const GOOD_HOSTS = [
  "example.com",
  "EXAMPLE.com.",
  "my_service:8000",
  "xn--bcher-kva.example",
  "127.0.0.1:8000",
  "[::1]",
  "[2001:DB8::1]:8000",
  "example.com:",
  "x".repeat(255),
  "",
];

testOnDatabases("An invalid Host is refused before anything else", async (database) => {
  await using app = await serve(database, ITEMS);
  await using server = app.listen();
  const ask = (host: string, method = "GET", path = "/api/releases") =>
    sendRaw(server.port, { line: `${method} ${path} HTTP/1.1`, headers: [`Host: ${host}`] });
  assertEquals((await ask("localhost")).status, 200);
  for (const host of REFUSED_HOSTS) {
    for (const path of ["/api/releases", "/", "/metrics", "/nowhere"]) {
      const { status, headers, body } = await ask(host, "GET", path);
      assertEquals([host.slice(0, 80), path, status], [host.slice(0, 80), path, 400]);
      assertEquals(headers.get("content-type"), "application/problem+json");
      assertEquals(headers.get("cache-control"), "no-store");
      const reason = "must be a host with or without a port, such as example.com or [::1]:8000";
      assertEquals(JSON.parse(body), {
        type: "about:blank",
        title: "Bad Request",
        status: 400,
        detail: `The Host ${reason}`,
        errors: [{ name: "Host", reason }],
      });
    }
    const { status, body } = await ask(host, "HEAD");
    assertEquals([status, body], [400, ""]);
  }
  for (const host of GOOD_HOSTS) {
    const { status } = await ask(host);
    assertEquals([host, status], [host, 200]);
  }
});

testOnDatabases(
  "Requests without a Host or with an absolute URL get responses",
  async (database) => {
    await using app = await serve(database, ITEMS);
    await using server = app.listen();
    const ask = async (line: string, headers?: string[]) => {
      const { status, body } = await sendRaw(server.port, { line, headers });
      return { status, body };
    };
    const path = "/api/releases?page_size=1";
    const plain = await ask(`GET ${path} HTTP/1.1`);
    assertEquals(plain.status, 200);
    assertEquals(await ask(`GET ${path} HTTP/1.0`, []), plain);
    assertEquals(await ask(`GET http://elsewhere.example:81${path} HTTP/1.1`), plain);
    assertEquals(await ask(`GET HTTPS://[::1]${path} HTTP/1.1`), plain);
    for (
      const target of [
        `http://a?product_name=nothing&z=${path}`,
        `http://a#${path}`,
        `http://user@a${path}`,
        `ftp://a${path}`,
        "a://b/rss/",
      ]
    ) {
      const { status } = await ask(`GET ${target} HTTP/1.1`);
      assertEquals([target, status], [target, 400]);
    }
  },
);

testOnDatabases("HTTP/2 requires a valid :authority", async (database) => {
  await using app = await serve(database, ITEMS);
  await using server = app.listen();
  const session = http2.connect(`http://127.0.0.1:${server.port}`);
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ":path": "/api/releases", ...headers });
      stream.on("response", (answer) => resolve(answer[":status"] ?? 0));
      stream.on("error", reject);
      stream.resume().end();
    });
  try {
    assertEquals(await ask({}), 200);
    assertEquals(await ask({ ":authority": "[::1]:8000" }), 200);
    assertEquals(await ask({ ":authority": "user@x" }), 400);
    assertEquals(await ask({ ":authority": "x", "host": "x?q=1&z=" }), 400);
    assertEquals(await ask({ ":scheme": "a", ":authority": "b", ":path": "/rss/" }), 400);
  } finally {
    session.close();
  }
});

slowOnDatabases("No request changes the responses of others", async (database) => {
  await importItems(database, ITEMS);
  for (const { line, host, address } of POISONS) {
    await using fresh = await startApp(database, { ROADMAP_VARIANT: "both" });
    await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
    await using server = app.listen();
    await sendRaw(server.port, { line, headers: [`Host: ${host}`] });
    const after = await sendRaw(server.port, { line: `GET ${address} HTTP/1.1` });
    assertEquals([line, host, after.status], [line, host, 200]);
    assertEquals(after.body, await (await fresh.fetch(address)).text(), `${line}, Host: ${host}`);
  }
});

testOnDatabases("Long URLs evict no response that others request", async (database) => {
  await using app = await serve(database, ITEMS);
  await using server = app.listen();
  const ask = (target: string, host = "localhost") =>
    sendRaw(server.port, { line: `GET ${target} HTTP/1.1`, headers: [`Host: ${host}`] });
  const hits = async () =>
    Number(/^roadcast_memory_hits_total (\d+)$/m.exec((await ask("/metrics")).body)![1]);
  const before = await ask("/api/releases");
  for (let number = 0; number < 40; number++) {
    const { status } = await ask(`/api/releases?unknown=${number}${"x".repeat(60_000)}`);
    assertEquals(status, 200);
  }
  const hitsBefore = await hits();
  assertEquals((await ask("/api/releases")).body, before.body);
  assertEquals(await hits() - hitsBefore, 1, "its address was forgotten");
  await ask("/api/releases", "x?product_name=nothing&z=");
  assertEquals((await ask("/api/releases")).body, before.body);
});

slowOnDatabases("No response depends on the Host", async (database) => {
  await importItems(database, ITEMS);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://roadmap.example",
  });
  await using server = app.listen();
  const pages = ["/", "/changelog", "/subscribe", "/api", `/release/${ITEMS[0]!.release_item_id}`];
  const others = ["/openapi.json", "/sitemap.xml", "/robots.txt", "/nowhere", "/api/nowhere"];
  for (const path of [...READ_PATHS, ...pages, ...others]) {
    const claims = ["X-Forwarded-Host", "X-Forwarded-Server", "X-Original-URL", "X-Rewrite-URL"]
      .map((name) => `${name}: claimed.example`);
    const { headers, body } = await sendRaw(server.port, {
      line: `GET ${path} HTTP/1.1`,
      headers: ["Host: asked.example", ...claims, "Forwarded: host=claimed.example;proto=http"],
    });
    const answer = JSON.stringify([...headers]) + body;
    assertEquals([path, /asked\.example|claimed\.example/.test(answer)], [path, false]);
  }
  const { body } = await sendRaw(server.port, { line: "GET /rss HTTP/1.1" });
  assertEquals(body.includes("<link>https://roadmap.example/"), true);
});

slowOnDatabases("Operator endpoints have one spelling", async (database) => {
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    BASE_URL: "https://example.com/roadmap",
  });
  await using server = app.listen();
  const statusOf = async (path: string, method = "GET") =>
    (await sendRaw(server.port, { line: `${method} ${path} HTTP/1.1` })).status;
  for (const site of ["", "/b", "/roadmap", "/roadmap/b"]) {
    for (const path of OPERATOR_PATHS) {
      for (const method of ["GET", "HEAD"]) {
        assertEquals([site, path, await statusOf(site + path, method)], [site, path, 200]);
      }
      for (const odd of spell(path)) {
        for (const method of ["GET", "HEAD"]) {
          assertEquals([site, odd, await statusOf(site + odd, method)], [site, odd, 404]);
        }
      }
    }
  }
  // Others mean the same with a slash at their end, and with letters that are encoded.
  assertEquals(await statusOf("/b/"), 200);
  assertEquals(await statusOf("/%61pi/filter-options/"), 200);
});

testOnDatabases("Slashes behind an address change nothing, however many", async (database) => {
  await using app = await startApp(database);
  for (const path of ["", "/rss.xml", "/api/releases", "/subscribe"]) {
    for (const end of ["/", "//", "///", "/".repeat(5_000)]) {
      assertEquals([path, (await app.fetch(`http://localhost:8000${path}${end}`)).status], [
        path,
        200,
      ]);
    }
  }
});
