import { deepStrictEqual as assertEquals, rejects as assertRejects } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { FetchError } from "../../lib/import/fetching/fetch_address.ts";
import { ConfiguredSources } from "../../lib/import/sources/configured_sources.ts";
import { ScheduledImport } from "../../lib/import/sources/scheduled_import.ts";
import type { JsonApi } from "../../lib/import/kinds/json_api.ts";
import type { ImportOptions } from "../../lib/import/import_options.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";

const ITEMS = [1, 2, 3, 4, 5].map((number) => makeItem(number));

/** Reads a source to its end, and counts its items. */
async function drain(
  location: string,
  api: JsonApi,
  options: Partial<ImportOptions> = {},
): Promise<number> {
  const all = { kind: "json" as const, asOf: TODAY, pausesMs: [], api, ...options };
  return (await readSource(location, all))!.rowCount;
}

/** A server of five items by two, whose cursor is the number of items before a page. */
function servePages(
  answer: (page: { items: unknown[]; next: number | null }, url: URL) => unknown,
  read: (request: Request, url: URL) => Promise<string> | string = (_request, url) =>
    url.searchParams.get("after") ?? "",
) {
  const bodies: string[] = [];
  const server = serveSource(async (request, url) => {
    const [copy, kept] = [request.clone(), request];
    bodies.push(await copy.text());
    const start = Number(await read(kept, url));
    const next = start + 2 < ITEMS.length ? start + 2 : null;
    const answered = await answer({ items: ITEMS.slice(start, start + 2), next }, url);
    return answered instanceof Response ? answered : Response.json(answered);
  });
  return Object.assign(server, { bodies });
}

const CURSOR: JsonApi = {
  items: "/result/list",
  pages: { next: "/result/page~1info/end", parameter: "after" },
};
const withCursor = ({ items, next }: { items: unknown[]; next: number | null }) => ({
  result: { list: items, "page/info": { end: next } },
});

Deno.test("A cursor is a query parameter, and the rest of the query stays", async () => {
  await using server = servePages(withCursor);
  assertEquals(await drain(`${server.url}/list?$filter=a,b&after=`, CURSOR), 5);
  assertEquals(server.asked, [
    "/list?$filter=a,b&after= 200",
    "/list?$filter=a,b&after=2 200",
    "/list?$filter=a,b&after=4 200",
  ]);
});

Deno.test("A next page is a URL of the same origin, absolute or relative, or in the Link header", async () => {
  for (const form of ["absolute", "relative", "Link"]) {
    await using server = servePages(({ items, next }, url) => {
      const query = `?after=${next}`;
      const address = next === null
        ? null
        : form === "absolute"
        ? url.origin + "/list" + query
        : query;
      return form === "Link"
        ? Response.json(items, {
          headers: address ? { link: `<${address}>; rel="next"` } : {} as Record<string, string>,
        })
        : { items, more: { next: address } };
    });
    const api = form === "Link"
      ? { pages: { next: "Link" } }
      : { items: "/items", pages: { next: "/more/next" } };
    assertEquals(await drain(`${server.url}/list`, api), 5);
    assertEquals(server.asked.at(-1), "/list?after=4 200");
  }
  await using server = servePages(({ items }) => ({ items, next: "https://elsewhere.example/2" }));
  const api = { items: "/items", pages: { next: "/next" } };
  await assertRejects(
    drain(server.url, api),
    /leads to https:\/\/elsewhere\.example\/2; all pages/,
  );
});

Deno.test("A cursor is sent in the body: in JSON, in text, or at a pointer that is missing at first", async () => {
  const inBody = async (request: Request) => {
    const body = await request.text();
    return /(?:after"?[:=]"?|cursor":")(\d*)/.exec(body)?.[1] ?? "";
  };
  const bodies: [JsonApi, string[]][] = [
    [
      { body: { query: "{ all }", variables: { after: "{next}", first: 2 } } },
      ["", "2", "4"].map((after) =>
        JSON.stringify({ query: "{ all }", variables: { after, first: 2 } })
      ),
    ],
    [{ body: '{"after": "{next}"}' }, ["", "2", "4"].map((after) => JSON.stringify({ after }))],
    [{ method: "POST", body: "after={next}" }, ["after=", "after=2", "after=4"]],
  ];
  for (const [api, sent] of bodies) {
    await using server = servePages(withCursor, inBody);
    assertEquals(await drain(server.url, { ...CURSOR, ...api }), 5);
    assertEquals(server.bodies, sent);
  }
  await using server = servePages(withCursor, inBody);
  const pages = { ...CURSOR.pages, parameter: "/page/cursor" };
  assertEquals(await drain(server.url, { ...CURSOR, pages, body: { size: 2 } }), 5);
  assertEquals(server.bodies, [
    '{"size":2}',
    '{"size":2,"page":{"cursor":"2"}}',
    '{"size":2,"page":{"cursor":"4"}}',
  ]);
});

Deno.test("A cursor within JSON is escaped", async () => {
  const seen: unknown[] = [];
  await using server = serveSource(async (request) => {
    seen.push(await request.json());
    return Response.json({ items: [ITEMS[seen.length]], next: seen.length === 1 ? 'a"\\#%é' : "" });
  });
  const api = { items: "/items", pages: { next: "/next" }, body: { at: "{next}" } };
  assertEquals(await drain(server.url, api), 2);
  assertEquals(seen, [{ at: "" }, { at: 'a"\\#%é' }]);
});

Deno.test("Pages are counted until the total is reached, or a page is empty", async () => {
  // A count of one page is no total.
  for (const about of [{ pagination: { total_records: 5, current_page: 1 } }, { count: 2 }, {}]) {
    const page = (_request: Request, { searchParams }: URL) =>
      String((Number(searchParams.get("page") ?? 1) - 1) * 2);
    await using server = servePages(({ items }) => ({ items, ...about }), page);
    assertEquals(
      await drain(`${server.url}/?size=2`, { items: "/items", pages: { parameter: "page" } }),
      5,
    );
    assertEquals(server.asked.slice(0, 3), [
      "/?size=2 200",
      "/?size=2&page=2 200",
      "/?size=2&page=3 200",
    ]);
    assertEquals(server.asked.length, "pagination" in about ? 3 : 4);
  }
});

Deno.test("A server that ignores the page parameter is refused after two requests", async () => {
  await using server = serveSource(() => Response.json(ITEMS));
  await assertRejects(drain(server.url, { pages: { parameter: "page" } }), {
    message: `Cannot read ${server.url}/?page=2: two of its pages begin with the same item: ` +
      'check "pages" in its configuration',
  });
  assertEquals(server.asked, ["/ 200", "/?page=2 200"]);
});

Deno.test("The last page may still have a cursor, if it says that it is the last", async () => {
  for (const sign of [{ hasNextPage: false }, { isLast: true }, { has_more: false }]) {
    await using server = servePages(({ items, next }) => ({
      data: { list: items, pageInfo: { end: next ?? "5", ...next === null ? sign : {} } },
    }));
    const api = { items: "/data/list", pages: { next: "/data/pageInfo/end", parameter: "after" } };
    assertEquals(await drain(server.url, api), 5);
    assertEquals(server.asked.length, 3);
  }
});

/** Answers in place of the second page, and what the import says. */
const FAILURES: [string, () => unknown, RegExp][] = [
  [
    "an error of the server",
    () => Response.json({}, { status: 500 }),
    /the server responded 500 Internal Server Error$/,
  ],
  [
    "a refusal",
    () => Response.json({ message: "No such cursor." }, { status: 400 }),
    /after=2: the server responded 400 Bad Request: No such cursor\.$/,
  ],
  [
    "a wrong token",
    () => Response.json({ message: "Bad credentials" }, { status: 401 }),
    /the server responded 401 Unauthorized$/,
  ],
  ["a page of a login", () => new Response("<html>Log in"), /it is an HTML page, not JSON/],
  ["nothing", () => new Response(""), /it is empty$/],
  ["cut JSON", () => new Response('{"result": {"list": ['), /it is incomplete JSON: /],
  ["no list", () => ({ result: {} }), /it has no list at "\/result\/list"$/],
  [
    "a list elsewhere",
    () => ({ result: { items: [], end: 1 } }),
    /; "\/result" has "items", "end"$/,
  ],
  ["another document", () => ({ items: [] }), /no list at "\/result\/list"; it has "items"$/],
  [
    "an error of GraphQL",
    () => ({ data: null, errors: [{ message: "Too complex", path: ["a"] }] }),
    /the server reports an error: Too complex$/,
  ],
  [
    "the same page again",
    () => ({ result: { list: [ITEMS[2]], "page/info": { end: "2" } } }),
    /links\.next loop at http:\S+after=2$/,
  ],
  [
    "a cursor that is none",
    () => ({ result: { list: [], "page/info": { end: {} } } }),
    /what it has at "\/result\/page~1info\/end" is neither text nor a number$/,
  ],
  [
    "an endless cursor",
    () => ({ result: { list: [], "page/info": { end: "x".repeat(4_001) } } }),
    /what it has at "\/result\/page~1info\/end" is longer than 4000 characters$/,
  ],
  [
    "an end that is none",
    () => ({ result: { list: [ITEMS[2]], total: 5, "page/info": { end: null } } }),
    /it is one page of more, with "total": 5, but holds 3 items/,
  ],
  [
    "more, but not where",
    () => ({ result: { list: [ITEMS[2]], hasMore: true, "page/info": {} } }),
    /it is one page of more, with "result\.hasMore": true, but holds 3 items/,
  ],
  [
    "a next page in the header alone",
    () =>
      Response.json({ result: { list: [], "page/info": {} } }, {
        headers: { link: '</?after=4>; rel="next"' },
      }),
    /it is one page of more, with a Link header with rel="next", but holds 2 items/,
  ],
];

for (const [what, second, message] of FAILURES) {
  Deno.test(`A page in the middle with ${what} refuses the whole`, async () => {
    await using server = servePages((page, url) =>
      url.searchParams.get("after") === "2" ? second() : withCursor(page)
    );
    await assertRejects(drain(`${server.url}/`, CURSOR), { name: /^Snapshot|^Fetch/, message });
  });
}

testOnDatabases("A page in the middle that fails removes nothing", async (database) => {
  let isIll = false;
  await using server = servePages((page, url) =>
    isIll && url.searchParams.get("after") === "2"
      ? new Response(null, { status: 500 })
      : withCursor(page)
  );
  const options = { asOf: TODAY, api: CURSOR, pausesMs: [], allowMassRemoval: true };
  const read = () => importLocation(database, `${server.url}/`, { kind: "json", ...options });
  assertEquals((await read()).added, 5);
  isIll = true;
  await assertRejects(read(), /the server responded 500/);
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).pagination.total_items, 5);
});

Deno.test("A page's Retry-After is honoured, and the next import waits as well", async () => {
  let pauses = ["0"];
  await using server = servePages((page, url) => {
    const pause = url.searchParams.get("after") === "2" ? pauses.shift() : undefined;
    return pause === undefined
      ? withCursor(page)
      : new Response(null, { status: 429, headers: { "retry-after": pause } });
  });
  assertEquals(await drain(server.url, CURSOR, { pausesMs: [1] }), 5);
  assertEquals(server.asked.map((line) => line.slice(-3)), ["200", "429", "200", "200"]);
  pauses = ["1200"];
  await assertRejects(
    drain(server.url, CURSOR, { pausesMs: [1] }),
    (error) => error instanceof FetchError && error.retryAfterMs === 1_200_000,
  );
});

Deno.test("A redirected POST is repeated only within its origin", async () => {
  await using other = serveSource(() => Response.json([]));
  const bodies: string[] = [];
  await using server = serveSource(async (request, { pathname }) => {
    const type = request.headers.get("content-type");
    bodies.push(`${request.method} ${await request.text()} ${type}`);
    if (pathname === "/away") return Response.redirect(other.url, 307);
    return pathname === "/here"
      ? new Response(null, { status: 308, headers: { location: "/there" } })
      : Response.json([ITEMS[0]]);
  });
  const isPublic = () => Promise.resolve([{ address: "9.9.9.9", family: 4 as const }]);
  const api = { method: "POST" as const, body: { secret: 1 } };
  assertEquals(await drain(`${server.url}/here`, api), 1);
  assertEquals(bodies.splice(0), Array(2).fill('POST {"secret":1} application/json'));
  const headers = { "content-type": "application/graphql" };
  assertEquals(await drain(`${server.url}/there`, { body: "{ all }" }, { headers }), 1);
  assertEquals(bodies, ["POST { all } application/graphql"]);
  await assertRejects(drain(`${server.url}/away`, api, { resolve: isPublic }), {
    message:
      `Cannot read ${server.url}/away: it redirects a POST to ${other.url}: use that address`,
  });
  assertEquals(other.asked, []);
});

Deno.test("An error message is shown without the secrets in it", async () => {
  await using server = serveSource((request) =>
    Response.json({ message: `No user for ${request.headers.get("x-key")}` }, { status: 403 })
  );
  await assertRejects(drain(server.url, {}, { headers: { "x-key": "sesame" } }), {
    message:
      /: the server responded 403 Forbidden: No user for …; if it refuses an unknown User-Agent/,
  });
  await assertRejects(drain(server.url, {}, {}), /403 Forbidden: No user for null; if it refuses/);
});

testOnDatabases("If a later page is gone, all pages are read again", async (database) => {
  let cursor = "one";
  await using server = serveSource((request, { searchParams }) => {
    const after = searchParams.get("after");
    if (after !== null && after !== cursor) return new Response(null, { status: 400 });
    const etag = '"same"';
    if (request.headers.get("if-none-match") === etag && after === null) {
      return new Response(null, { status: 304, headers: { etag } });
    }
    const [items, next] = after === null ? [[ITEMS[0]], cursor] : [[ITEMS[1]], null];
    return Response.json({ items, next }, { headers: { etag } });
  });
  const api = { items: "/items", pages: { next: "/next", parameter: "after" } };
  const read = () => importLocation(database, server.url, { asOf: TODAY, kind: "json", api });
  assertEquals((await read()).added, 2);
  cursor = "two";
  assertEquals((await read()).unchanged, 2);
  assertEquals(server.asked.slice(2), ["/ 304", "/?after=one 400", "/ 200", "/?after=two 200"]);
});

testOnDatabases("An API in the configuration is imported on its schedule", async (database) => {
  await using server = servePages(withCursor);
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(
    file,
    JSON.stringify({ sources: [{ name: "api", from: server.url, ...CURSOR }] }),
  );
  const config = readConfig({ ROADMAP_CONFIG: file });
  const { current: [source] } = await ConfiguredSources.read(config);
  await Deno.remove(file);
  assertEquals([source!.kind, source!.api!.pages], ["json", CURSOR.pages]);
  const scheduled = new ScheduledImport(database, source!, { ...config, clock: () => new Date() });
  await scheduled.add();
  assertEquals(await scheduled.importIfDue(new AbortController().signal), "imported");
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).pagination.total_items, 5);
});
