import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { sql } from "../../lib/database/sql.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { sendRaw } from "../support/raw_client.ts";
import { runs, slowOnDatabases } from "../support/slow.ts";

const ITEMS = [1, 2, 3].map((number) =>
  makeItem(number, { product_name: `Product ${number}`, last_modified: `2026-07-1${number}` })
);
const SETTINGS = { ROADMAP_VARIANT: "both" };
const PATHS = ["/", "/rss", "/changelog", "/api/releases", "/api/changelog", "/api/filter-options"]
  .flatMap((path) => [path, `/b${path}`]);

/** What narrows or changes an answer, with what it would do to that of another. */
const parameter = fc.constantFrom(
  "product_name=Product+1",
  "product_name=nothing",
  "q=feature%202",
  "page_size=1",
  "limit=1",
  "days=1",
  "sort=release_date",
  `release_item_id=${ITEMS[0]!.release_item_id}`,
);
const nameOf = (parameter: string) => parameter.split("=")[0]!;
const parameters = fc.uniqueArray(parameter, { selector: nameOf, maxLength: 3 });
const path = fc.constantFrom(...PATHS);
const separator = fc.constantFrom(..."?#/\\@% \t;&:,[]{}|^`\"'<>*é", "?z=", "//", "%3f");

const host = fc.oneof(
  fc.constantFrom("localhost", "LOCALHOST:8000", "[::1]:8000", "", "elsewhere.example."),
  parameters.map((parameters) => `x?${parameters.join("&")}&z=`),
  fc.tuple(separator, parameters, fc.constantFrom("", "&z=", "#", "/", ":80"))
    .map(([separator, parameters, end]) => `x${separator}${parameters.join("&")}${end}`),
  fc.tuple(path, separator).map(([path, separator]) => `x${path}${separator}`),
  fc.string({ maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, " ")),
);

const HEADERS: readonly string[] = [
  "Accept-Encoding: gzip",
  "Accept-Encoding: br;q=0.5, *",
  "X-Forwarded-Host: y?q=nothing",
  "X-Original-URL: /rss",
  "X-HTTP-Method-Override: POST",
  "If-None-Match: *",
  "X-Request-Id: x",
];

/** One request, in whatever form it is sent. */
const request = fc.record({
  path,
  parameters,
  host,
  headers: fc.uniqueArray(fc.constantFrom(...HEADERS), { maxLength: 3 }),
  hostPlace: fc.nat(3),
  method: fc.constantFrom("GET", "GET", "GET", "HEAD"),
  form: fc.constantFrom("origin", "origin", "origin", "absolute", "http:", "a:"),
  slash: fc.constantFrom("", "", "/"),
});

type RequestParts = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

slowOnDatabases(
  "A cached response equals what a new process builds for the plain request",
  async (database) => {
    await importItems(database, ITEMS);
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), async (requests) => {
        await database.query(sql`delete from cached_responses`);
        await using app = await startApp(database, SETTINGS);
        await using server = app.listen();
        for (const request of requests) await sendRaw(server.port, write(request));
        // What each of them may have been kept under: its own address, the bare path, the first page.
        const addresses = requests.flatMap(({ path, slash, parameters }) => [
          address(path + slash, parameters),
          address(path, parameters.toReversed()),
          path + slash,
          path,
          "/",
          "/b/api/releases",
        ]);
        const answers: [string, unknown][] = [];
        for (const address of new Set(addresses)) {
          answers.push([address, await askPlainly(server.port, address)]);
        }
        await database.query(sql`delete from cached_responses`);
        await using fresh = await startApp(database, SETTINGS);
        for (const [address, answer] of answers) {
          assertEquals({ address, answer }, { address, answer: await askInside(fresh, address) });
        }
      }),
      { numRuns: runs(40) },
    );
  },
);

function address(path: string, parameters: readonly string[]): string {
  return parameters.length > 0 ? `${path}?${parameters.join("&")}` : path;
}

function write({ path, slash, parameters, host, headers, hostPlace, method, form }: RequestParts) {
  const origin = address(path + slash, parameters);
  const target = form === "origin"
    ? origin
    : form === "absolute"
    ? `http://${host}${origin}`
    : `${form}//b${origin}`;
  const all = headers.toSpliced(hostPlace, 0, `Host: ${form === "origin" ? host : "localhost"}`);
  return { line: `${method} ${target} HTTP/1.1`, headers: all };
}

/** Over the wire, with a Host that is one. */
async function askPlainly(port: number, address: string) {
  const { status, headers, body } = await sendRaw(port, { line: `GET ${address} HTTP/1.1` });
  return { status, etag: headers.get("etag"), link: headers.get("link"), body };
}

/** Its parameters in one order, so that theirs must not matter. */
async function askInside(app: TestApp, address: string) {
  const [path, query = ""] = address.split("?");
  const sorted = query.split("&").toSorted().join("&");
  const response = await app.fetch(`http://localhost${path}?${sorted}`);
  const { status, headers } = response;
  return {
    status,
    etag: headers.get("etag"),
    link: headers.get("link"),
    body: await response.text(),
  };
}
