import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { request as sendRequest } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { READ_PATHS } from "../support/read_paths.ts";
import { slowOnDatabases } from "../support/slow.ts";

const PATHS = ["/", "/b/", ...READ_PATHS];

interface Answer {
  status: number;
  headers: Record<string, string>;
  /** As it came over the wire. */
  body: Uint8Array;
}

/** Sends a request over a real connection; unlike `fetch` it leaves the answer as it came. */
function ask(
  port: number,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    sendRequest({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          body: new Uint8Array(chunks.flatMap((chunk) => [...chunk])),
        }));
    }).on("error", reject).end();
  });
}

slowOnDatabases("Over HTTP: compressed forms, HEAD and 304 of every read", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_description: "Ω " + "word ".repeat(100) }),
  ], { ROADMAP_VARIANT: "both" });
  await using server = app.listen();
  const { port } = server;
  for (const path of PATHS) {
    const plain = await ask(port, path);
    assertEquals([path, plain.status, plain.headers["content-encoding"]], [path, 200, undefined]);
    const { etag, vary } = plain.headers;
    assertEquals(vary, "Accept-Encoding");
    assertEquals(Number(plain.headers["content-length"]), plain.body.length);
    const codings = { gzip: gunzipSync, br: brotliDecompressSync };
    for (const [coding, decode] of Object.entries(codings)) {
      for (const _ of ["built", "kept"]) {
        const headers = { "Accept-Encoding": coding };
        const encoded = await ask(port, path, { headers });
        assertEquals(encoded.status, 200);
        assertEquals([encoded.headers.etag, encoded.headers.vary], [etag, vary]);
        if (encoded.headers["content-encoding"] === undefined) {
          assert(plain.body.length < 256, `${path} is not compressed`);
          assertEquals(encoded.body, plain.body);
          continue;
        }
        assertEquals(encoded.headers["content-encoding"], coding);
        assertEquals(new Uint8Array(decode(encoded.body)), plain.body);
        const head = await ask(port, path, { method: "HEAD", headers });
        assertEquals([head.status, head.body.length], [200, 0]);
        const own = { date: "", "x-request-id": "" };
        assertEquals({ ...head.headers, ...own }, { ...encoded.headers, ...own });
        const conditional = { ...headers, "If-None-Match": etag! };
        const unchanged = await ask(port, path, { headers: conditional });
        assertEquals([unchanged.status, unchanged.body.length], [304, 0]);
        assertEquals([unchanged.headers.etag, unchanged.headers.vary], [etag, vary]);
        assertEquals(unchanged.headers["cache-control"], plain.headers["cache-control"]);
        assertEquals(unchanged.headers["last-modified"], plain.headers["last-modified"]);
        assertEquals(unchanged.headers["content-encoding"], undefined);
      }
    }
  }
});

testOnDatabases("The encoding is the one that the client prefers", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_description: "word ".repeat(100) }),
  ]);
  const chosen = {
    "gzip, deflate, br": "br",
    "gzip, br;q=0.5": "gzip",
    "gzip": "gzip",
    "GZIP": "gzip",
    "*": "br",
    "*;q=0": null,
    "br;q=0, *": "gzip",
    "br;q=0.1, gzip": "gzip",
    "br ; q=0.5 , gzip ; q=0.5": "br",
    "": null,
    "identity": null,
    "deflate": null,
    "gzip;q=0, br;q=0.000": null,
    "identity, gzip;q=0": null,
    "identity, gzip;q=0.5": null,
    "identity;q=0.5, gzip": "gzip",
    "identity;q=0, gzip;q=0.001": "gzip",
    [`gzip${",".repeat(900)}`]: "gzip",
    [`gzip${",".repeat(60_000)}`]: null,
  };
  for (const [accepted, coding] of Object.entries(chosen)) {
    const { headers } = await app.fetch("/api/releases", {
      headers: { "Accept-Encoding": accepted },
    });
    const name = accepted.slice(0, 40);
    assertEquals([name, headers.get("content-encoding")], [name, coding]);
  }
});
