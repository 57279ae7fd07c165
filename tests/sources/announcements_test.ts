import { deepStrictEqual as assertEquals, match, rejects } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { sql } from "../../lib/database/sql.ts";
import { fetchPosts } from "../../lib/import/announcements/follow_announcements.ts";
import { makeItem } from "../support/app.ts";
import {
  announcementsOf,
  follow,
  postAddress,
  serveAnnounced,
  writeRss,
} from "../support/subjects/announcements.ts";
import { testOnDatabases } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { makeDue } from "../support/subjects/clock.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = "00000000-0000-4000-8000-000000000001";

const named = (number: number, name: string, more: Record<string, unknown> = {}) =>
  makeItem(number, { feature_name: name, ...more });

testOnDatabases("A post is matched to the release that it links to or names", async (database) => {
  const items = [
    named(1, "Custom pools"),
    named(2, "Identity columns (GA)"),
    named(3, "Warehouse snapshots"),
    named(4, "Network rules"),
    named(5, "Folder relations", { release_type: "Public preview" }),
  ];
  await using source = serveAnnounced(items, [
    {
      id: 10001,
      title: "What we did in July",
      text:
        `<p>See <a href="https://roadmap.example.com/?product=a%2Cb#plan-${ID}">the plan</a></p>`,
    },
    { id: 10002, title: "IDENTITY columns (Generally Available)" },
    { id: 10003, title: "All of July", text: "<h3>Network rules</h3><p>…</p>" },
    { id: 10004, title: "Folder relations (GA)" },
  ]);
  await using app = await follow(database, source);
  await app.work();
  assertEquals(await announcementsOf(app), {
    "Custom pools": `What we did in July ${postAddress(10001)}`,
    "Identity columns (GA)": `IDENTITY columns (Generally Available) ${postAddress(10002)}`,
    "Warehouse snapshots": null,
    "Network rules": `All of July ${postAddress(10003)}`,
    "Folder relations": null,
  });
  const history = await app.json(`/api/releases/history/${ID}`);
  match(history[0].changed_columns, /Blog/);
  const { data } = await app.json("/api/changes?limit=50");
  const { fields } = data.findLast(({ release_item_id }: { release_item_id: string }) =>
    release_item_id === ID
  );
  assertEquals(fields, [
    { field: "blog_title", old: null, new: "What we did in July" },
    { field: "blog_url", old: null, new: postAddress(10001) },
  ]);

  // The source says nothing of posts: that removes none, and changes nothing.
  const changes = await countChanges(database);
  await app.work();
  source.items = [...items, named(6, "Something else")];
  const worked = await app.work();
  assertEquals([worked.imports, worked.announcements], [
    { imported: 1, failed: 0 },
    { changed: 0 },
  ]);
  assertEquals(await countChanges(database), changes + 1);
  assertEquals(source.asked.filter((line) => line.startsWith("/feed")), [
    "/feed 200",
    "/feed 304",
    "/feed 304",
  ]);
});

async function countChanges(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    sql`select count(*)::int as count from changes`,
  );
  return row!.count;
}

testOnDatabases("An announcement given by the source is preserved", async (database) => {
  const own = { blog_title: "Own", blog_url: "https://example.com/own" };
  await using source = serveAnnounced([named(1, "Custom pools", own)], [
    { id: 10001, title: "Custom pools" },
  ]);
  await using app = await follow(database, source);
  await app.work();
  assertEquals(await announcementsOf(app), { "Custom pools": "Own https://example.com/own" });

  source.items = [named(1, "Custom pools")];
  await app.work();
  const filled = { "Custom pools": `Custom pools ${postAddress(10001)}` };
  assertEquals(await announcementsOf(app), filled);
  source.items = [named(1, "Custom pools", own)];
  await app.work();
  assertEquals(await announcementsOf(app), { "Custom pools": "Own https://example.com/own" });
});

slowOnDatabases("A post stays when the feed drops it, with its URL", async (database) => {
  await using source = serveAnnounced([named(1, "Custom pools")], [
    { id: "a", title: "Custom pools", link: postAddress(10001) },
  ]);
  await using app = await follow(database, source);
  await app.work();
  const filled = { "Custom pools": `Custom pools ${postAddress(10001)}` };
  assertEquals(await announcementsOf(app), filled);

  source.posts = [];
  await app.work();
  const moved = "https://community.example.com/blog/updates/custom-pools/10001?utm_source=rss";
  source.posts = [{ id: "b", title: "Custom pools", link: moved }];
  await app.work();
  assertEquals(await announcementsOf(app), filled);

  // Its title is corrected: now it is of another phase, and another one is best.
  source.posts = [
    { id: "b", title: "Custom pools (Preview)", link: moved },
    { id: "c", title: "Custom pools", link: postAddress(10002) },
  ];
  await app.work();
  const other = { "Custom pools": `Custom pools ${postAddress(10002)}` };
  assertEquals(await announcementsOf(app), other);
  await app.work();
  assertEquals(await announcementsOf(app), other);
});

testOnDatabases("A post about another phase does not match a release", async (database) => {
  const preview = { release_type: "Public preview" };
  await using source = serveAnnounced([
    named(1, "Custom pools"),
    named(2, "Data preview for pools", preview),
    named(3, "Lake views", preview),
  ], [
    { id: 10001, title: "Custom pools (Preview)" },
    { id: 10002, title: "Data preview for pools (Generally Available)" },
    {
      id: 10003,
      title: "Views (GA)",
      text: '<a href="https://x.example.com/00000000-0000-4000-8000-000000000003">',
    },
  ]);
  await using app = await follow(database, source);
  await app.work();
  assertEquals(Object.values(await announcementsOf(app)), [null, null, null]);
});

const HOSTILE = [
  "javascript:alert(1)",
  "data:text/html,hi",
  "http://127.0.0.1/admin",
  "http://[::1]/",
  "http://169.254.169.254/latest",
  "http://localhost/x",
  "https://router.local/x",
  "https://intranet/x",
  "https://user:word@example.com/x",
  "https://wiki.example.com/x",
  `https://example.com/${"x".repeat(3_000)}`,
];

testOnDatabases("A post with a hostile URL is ignored", async (database) => {
  const items = HOSTILE.map((_, index) => named(index + 1, `Custom pools ${index}`));
  const posts = HOSTILE.map((link, index) => ({ id: index, title: `Custom pools ${index}`, link }));
  await using source = serveAnnounced(items, posts);
  await using app = await follow(database, source, { private_hosts: ["wiki.example.com"] });
  await app.work();
  assertEquals(Object.values(await announcementsOf(app)), HOSTILE.map(() => null));
});

testOnDatabases("Odd characters and dates in a post are handled", async (database) => {
  await using source = serveAnnounced([named(1, "Custom pools"), named(2, "Network rules")], []);
  const link = postAddress(10001);
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: "Updates",
    items: [
      {
        id: "1",
        url: link,
        title: "Custom\u0000 pools\u202e",
        date_published: "+275760-09-13T00:00:00Z",
        content_html: "<h2>Network\u0000 rules</h2><h2>\ud800</h2>",
      },
      { id: "2", url: postAddress(10002), title: "\udc00", date_published: "0000-01-01" },
      { id: "3", url: postAddress(10003), date_published: "2026-07-01" },
    ],
  };
  source.answer = () => Response.json(feed);
  await using app = await follow(database, source);
  assertEquals((await app.work()).failed, undefined);
  const title = "Custom pools";
  assertEquals(await announcementsOf(app), {
    "Custom pools": `${title} ${link}`,
    "Network rules": `${title} ${link}`,
  });
});

const endless = () =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("<rss><channel><title>"));
    },
    pull(controller) {
      controller.enqueue(new Uint8Array(1_000_000).fill(97));
    },
  });

const BAD: readonly [string, (request: Request) => Response, RegExp][] = [
  [
    "a page",
    () => new Response("<!doctype html><html><body>Sign in</body></html>"),
    /it is an HTML page, not a valid RSS, Atom or JSON Feed/,
  ],
  ["gone", () => new Response("no", { status: 404 }), /the server responded 404/],
  ["endless", () => new Response(endless()), /the feed is larger than 32 MB/],
  [
    "a loop",
    ({ url }) => new Response(null, { status: 302, headers: { location: url } }),
    /redirects more than 5 times/,
  ],
  ["nothing", () => new Response(""), /it is empty/],
  ["no feed", () => new Response('{"items": 1}'), /it is no valid RSS, Atom or JSON Feed/],
];

slowOnDatabases("An unreadable feed preserves existing matches", async (database) => {
  await using source = serveAnnounced([named(1, "Custom pools")], [
    { id: 10001, title: "Custom pools" },
  ]);
  await using app = await follow(database, source);
  await app.work();
  const filled = { "Custom pools": `Custom pools ${postAddress(10001)}` };
  for (const [, answer, reason] of BAD) {
    source.answer = answer;
    assertEquals((await app.work()).announcements, { changed: 0 });
    const [feed] = await database.query<{ error: string }>(
      sql`select error from announcement_feeds`,
    );
    match(feed!.error, reason);
    assertEquals(await announcementsOf(app), filled);
  }
  source.answer = null;
  await app.work();
  assertEquals(await database.query(sql`select error from announcement_feeds`), [{ error: null }]);
});

Deno.test("A slow feed times out", async () => {
  const late = Promise.withResolvers<void>();
  await using server = serveSource(async () => {
    await late.promise;
    return new Response(writeRss([]));
  });
  try {
    await rejects(
      fetchPosts(server.url, { silenceMs: 50, pausesMs: [] }),
      /Cannot read http:\/\/127.0.0.1:\d+: it sent nothing for 0.05 s/,
    );
  } finally {
    late.resolve();
  }
});

testOnDatabases("A source without announcements requests none", async (database) => {
  await using source = serveAnnounced([named(1, "Custom pools")], []);
  await using app = await follow(database, source, { announcements: undefined });
  assertEquals(Object.keys(await app.work()).includes("announcements"), false);
  assertEquals(source.asked, ["/items 200"]);
});

testOnDatabases("Two processes read the announcements once", async (database) => {
  await using source = serveAnnounced([named(1, "Custom pools")], [
    { id: 10001, title: "Custom pools" },
  ]);
  await using one = await follow(database, source);
  await using other = await follow(database, source);
  await one.work();
  await makeDue(database, "announcements %");
  await Promise.all([one.workDue(), other.workDue()]);
  assertEquals(source.asked.filter((line) => line.startsWith("/feed")).length, 2);
});
