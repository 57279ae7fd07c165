import { deepStrictEqual as assertEquals, rejects } from "node:assert/strict";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { readSource } from "../../lib/import/read_source.ts";
import { makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";

const TRACKERS = new URL("../fixtures/trackers/", import.meta.url);
const ITEMS = [1, 2, 3].map((number) => makeItem(number));

/** What a document has beside its three items, and the sign that is named; null: it is the whole. */
const DOCUMENTS: readonly [Record<string, unknown>, string | null][] = [
  [{ isLast: false }, '"isLast": false'],
  [{ last: false, totalPages: 4 }, '"last": false'],
  [{ nextPageToken: "CAEaAggD" }, '"nextPageToken": "CAEaAggD"'],
  [{ next_page_token: "a" }, '"next_page_token": "a"'],
  [{ startAt: 0, maxResults: 3, total: 26 }, '"total": 26'],
  [{ count: 4 }, '"count": 4'],
  [{ totalCount: 4 }, '"totalCount": 4'],
  [{ "@odata.count": 9316 }, '"@odata.count": 9316'],
  [{ has_more: true, next_cursor: null }, '"has_more": true'],
  [{ count: 3, has_more: true }, '"has_more": true'],
  [{ next_cursor: "b" }, '"next_cursor": "b"'],
  [{ pageInfo: { hasNextPage: true, endCursor: "c" } }, '"pageInfo.hasNextPage": true'],
  [{ pagination: { total_records: 8, total_pages: 3 } }, '"pagination.total_pages": 3'],
  [{ pagination: { total_records: 8 } }, '"pagination.total_records": 8'],
  [{ pagination: { total_items: 4 } }, '"pagination.total_items": 4'],
  [{ page: { size: 3, totalElements: 7 } }, '"page.totalElements": 7'],
  [{ meta: { next: "/items?page=2" } }, '"meta.next": "/items?page=2"'],
  [{ _links: { next: { href: "/p2" } } }, '"_links.next": {"href":"/p2"}'],
  [{ paging: { next: { after: "1" } } }, '"paging.next": {"after":"1"}'],
  [
    { links: [{ rel: "self", href: "/f" }, { rel: "next", href: "/f?page=2" }] },
    '"links.next": "/f?page=2"',
  ],
  [{ link: [{ relation: "next", url: "/f?page=2" }] }, '"link.next": "/f?page=2"'],
  [{ pages: { next: "https://x.example/2" } }, '"pages.next": "https://x.example/2"'],
  [{ meta: { pagination: { total: 250 } } }, '"meta.pagination.total": 250'],
  [
    { response: { meta: { links: [{ rel: "next", uri: "/2" }] } } },
    '"response.meta.links.next": "/2"',
  ],
  [{ response_metadata: { next_cursor: "b" } }, '"response_metadata.next_cursor": "b"'],
  [{ offset: "itrX/recY" }, '"offset": "itrX/recY"'],
  [{ continuationToken: "c" }, '"continuationToken": "c"'],
  [{ "odata.nextLink": "/items?page=2" }, '"odata.nextLink": "/items?page=2"'],
  [{ d: { __next: "/items?page=2" } }, null],
  [{ d: { nextLink: "/items?page=2" } }, '"d.nextLink": "/items?page=2"'],
  [{ next: { page: 2 } }, '"next": {"page":2}'],
  [{ search: { NextContinuationToken: "d" } }, '"search.NextContinuationToken": "d"'],
  [{ IsTruncated: true }, '"IsTruncated": true'],
  [{ incomplete_results: true }, '"incomplete_results": true'],
  [{ query: { moreDataAvailable: true } }, '"query.moreDataAvailable": true'],
  [{ LastEvaluatedKey: { id: "7" } }, '"LastEvaluatedKey": {"id":"7"}'],
  [{ response: { numFound: 3 }, meta: { numFound: 9 } }, '"meta.numFound": 9'],
  [{ offset: 0, limit: 3, nextMarker: null }, null],
  [{ offset: "0", next: { href: null }, IsTruncated: false }, null],
  [{ nextRelease: "2027-01-31", moreInfo: "https://x.example", plan: { more: true } }, null],
  [{ links: [{ rel: "self", href: "/f" }, { rel: "prev", href: "/e" }] }, null],
  [{ links: ["next", null, { rel: "next", href: null }], plan: { next: "Q3", count: 9 } }, null],
  [{ meta: { pagination: { total: 3 } }, link: [] }, null],
  [{ next: "x".repeat(300) }, `"next": "${"x".repeat(91)}…`],
  [{ isLast: true, total: 3, startAt: 0, next: null }, null],
  [{ has_more: false, next_cursor: null, nextPageToken: "" }, null],
  [{ pageInfo: { hasNextPage: false, endCursor: "c" }, totalCount: 3 }, null],
  [{ pagination: { total_records: 3, total_pages: 1 }, links: { next: null } }, null],
  [{ links: {}, count: "many", total: null, next: {} }, null],
];

for (const [about, sign] of DOCUMENTS) {
  Deno.test(`A page says that it is one, or is complete: ${JSON.stringify(about).slice(0, 80)}`, async () => {
    // Before the list as well as behind it.
    for (const body of [{ ...about, issues: ITEMS }, { issues: ITEMS, ...about }]) {
      await using server = serveSource(() => Response.json(body));
      if (sign === null) assertEquals(await drain(`${server.url}/search`), 3);
      else {
        await rejects(drain(`${server.url}/search`), {
          name: "SnapshotError",
          message: `Cannot read ${server.url}/search: it is one page of more, with ${sign}, but ` +
            "holds 3 items: use the address of the whole or of a larger page, " +
            'or see "One page of more" in docs/sources.md',
        });
      }
    }
  });
}

const NO_LIST =
  /: it is neither an array of items nor an object whose "data", "items", or "issues"/;

/** The number of items of each file, or what is said of it. */
const FILES: Record<string, number | RegExp> = {
  "search-jql.page1.constructed.json": /one page of more, with "(isLast|nextPageToken)": /,
  "search-jql.no-fields-asked.constructed.json": /one page of more, with "(isLast|nextPageToken)"/,
  "search-jql.page2-last.constructed.json": 1,
  "search.startAt.atlassian-example.json": 1,
  "search.startAt.real-anonymised.json": /one page of more, with "total": 26, but holds 3 items/,
  "epics.list.json": 2,
  "milestones.list.json": 1,
  "features.list.json": 8,
  "features.in-release.json": 5,
  "releases.list.json": 6,
  "database_query.json": 1,
  "search.json": 2,
  "issues.from-fixture.json": 2,
  "wiql.json": NO_LIST,
};

for await (const { name } of Deno.readDir(TRACKERS)) {
  if (!name.endsWith(".json")) continue;
  Deno.test(`${name} is complete or refused`, async () => {
    const { pathname } = new URL(name, TRACKERS);
    const expected = FILES[name]!;
    if (typeof expected === "number") assertEquals(await drain(pathname), expected);
    else await rejects(drain(pathname), expected);
  });
}

Deno.test("A next page in the Link header is followed, on the same origin", async () => {
  let origin = "";
  await using server = serveSource((_request, { searchParams }) => {
    const page = Number(searchParams.get("page") ?? 1);
    const next = `<${origin}/issues?page=${page + 1}>; rel="next"`;
    return Response.json([makeItem(page)], { headers: page < 3 ? { link: next } : {} });
  });
  origin = server.url;
  assertEquals(await drain(`${server.url}/issues`), 3);
  origin = "https://elsewhere.example";
  await rejects(drain(`${server.url}/issues`), /its links\.next leads to https:\/\/elsewhere/);
});

Deno.test("A link that is an object is followed as an address is", async () => {
  await using server = serveSource((_request, { searchParams }) => {
    const page = Number(searchParams.get("page") ?? 1);
    const next = page < 3 ? { href: `?page=${page + 1}` } : null;
    return Response.json({ data: [{ ...makeItem(page), release_item_id: page }], links: { next } });
  });
  assertEquals(await drain(server.url), 3);
});

Deno.test("What a document gives as a file it gives at an address", async () => {
  const dated = { id: 1, name: "One", status: "Planned", planned_delivery: "2027-01-28" };
  const documents = [
    { data: [dated] },
    { data: [{ ...dated, "Current state": "In progress" }], meta: { total: 1 } },
    { items: [dated], data: "none" },
    { name: "Board", lists: [], cards: [{ id: "1", name: "One" }], actions: [{ data: {} }] },
    { data: ITEMS },
    ITEMS,
  ];
  for (const document of documents) {
    await using server = serveSource(() => Response.json(document));
    const file = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(file, JSON.stringify(document));
    const [there, here] = await Promise.all(
      [`${server.url}/list`, file].map(async (location) => {
        const read = (await readSource(location, { asOf: TODAY }))!;
        return [read.firstItems, read.problems, read.remarks];
      }),
    );
    await Deno.remove(file);
    assertEquals(there, here);
  }
});

Deno.test("An empty list beside a refusal is an error, and nobody advises a removal", async () => {
  const answers: [Record<string, unknown>, RegExp | null][] = [
    [{ error: "sign in" }, /: it has no items, and the server says: sign in$/],
    [{ message: "Please sign in" }, /says: Please sign in$/],
    [{ meta: { error: { code: 401 } } }, /says: "error": \{"code":401\}$/],
    [{ success: false }, /says: "success": false$/],
    [{ status: "unauthorized" }, /says: "status": "unauthorized"$/],
    [{ statusCode: 403 }, /says: "statusCode": 403$/],
    [{ login_url: "https://id.example.com" }, /says: https:\/\/id\.example\.com$/],
    [{ errors: [], warnings: {}, error: null, message: "" }, null],
    [{ ok: true, status: 200, message: "Success", total: 0 }, null],
  ];
  for (const [about, said] of answers) {
    await using server = serveSource(() => Response.json({ ...about, items: [] }));
    if (said === null) assertEquals([about, await drain(server.url)], [about, 0]);
    else await rejects(drain(server.url), { name: "SnapshotError", message: said });
  }
});

testOnDatabases("A partial page removes nothing", async (database) => {
  const answers: unknown[] = [
    ITEMS,
    { issues: ITEMS.slice(0, 2), startAt: 0, maxResults: 2, total: 3 },
  ];
  await using server = serveSource(() => Response.json(answers.shift()));
  const read = () => importLocation(database, server.url, { asOf: TODAY });
  assertEquals((await read()).added, 3);
  await rejects(read(), /it is one page of more, with "total": 3, but holds 2 items/);
  await using app = await startApp(database);
  assertEquals((await app.json("/api/releases")).pagination.total_items, 3);
});

Deno.test("A product family's document is not taken for a partial page", async () => {
  const [first, last] = [4, 5].map((number) => String(makeItem(number).release_item_id));
  const family = (id: string) => `ProductFamily.id = "${id}"; ProductFamily.name = "Family ${id}";`;
  const total: Record<string, number> = { [first!]: 4, [last!]: 3 };
  await using server = serveSource((_request, { searchParams }) => {
    const id = searchParams.get("productId");
    if (id === null) {
      return new Response(`<html><script>${family(first!)}${family(last!)}</script>`);
    }
    const results = ITEMS.map(({ release_item_id }) => ({ ReleaseItemID: release_item_id }));
    return Response.json({ results, total: total[id] });
  });
  await rejects(
    drain(`${server.url}/`),
    /Family \S+4.*one page of more, with "total": 4, but holds 3 items/,
  );
  total[first!] = 3;
  assertEquals(await drain(`${server.url}/`), 6);
});

/** Reads a source to its end, and counts its items. */
async function drain(location: string): Promise<number> {
  const found = await readSource(location, { asOf: TODAY });
  return found!.rowCount;
}
