import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { decodeEntities } from "../../lib/text/plain_text.ts";

type App = Awaited<ReturnType<typeof startApp>>;

/** The HTML and the text that a page offers. */
async function readCopy(app: App, path: string) {
  const response = await app.fetch(path);
  const page = await response.text();
  assertEquals(response.status, 200, page);
  const [, html] = /<div id="copy"[^>]*>(.*?)<\/div><details class="copy-text">/s.exec(page)!;
  const [, text] = /<pre [^>]*>(.*?)<\/pre>/s.exec(page)!;
  return { response, page, html: html!, text: decodeEntities(text!) };
}

function linksIn(html: string): string[] {
  return [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => decodeEntities(href!));
}

const idOf = (number: number) => makeItem(number).release_item_id;

testOnOne(
  "A copied list has what the page shows, with absolute links and styles in place",
  async (database) => {
    await importItems(database, [
      makeItem(1, { release_date: "Q4 2026", release_status: "In development" }),
      makeItem(2, { release_status: "Shipped", product_name: "Other" }),
      makeItem(3, { release_date: null }),
    ]);
    const moved = makeItem(1, { release_date: "Q1 2027", release_status: "In development" });
    await importItems(database, [
      moved,
      makeItem(2, { release_status: "Shipped", product_name: "Other" }),
      makeItem(3, { release_date: null }),
    ]);
    await using app = await startApp(database, {
      SITE_NAME: "Acme",
      SITE_ACCENT: "7a1f5c",
      BASE_URL: "https://example.com/roadmap",
    });
    const { html, text, page } = await readCopy(app, "https://example.com/roadmap/copy");
    assertEquals(
      text,
      `Roadmap of Acme

3 releases.

Q3 2026
-------

- Feature 2
  Shipped · Q3 2026 · Other · General availability
  https://example.com/roadmap/release/${idOf(2)}

Q1 2027
-------

- Feature 1
  In development · Q1 2027, moved from Q4 2026 · Product · General availability
  https://example.com/roadmap/release/${idOf(1)}

No date
-------

- Feature 3
  Planned · No date · Product · General availability
  https://example.com/roadmap/release/${idOf(3)}

Open the roadmap of Acme:
https://example.com/roadmap
`,
    );
    assertEquals(linksIn(html), [
      ...[2, 1, 3].map((number) => `https://example.com/roadmap/release/${idOf(number)}`),
      "https://example.com/roadmap/",
    ]);
    match(html, /^<table role="presentation"[^>]* width="100%"/);
    match(html, /<a href="[^"]*" dir="auto" style="[^"]*color:#7a1f5c">Feature 1<\/a>/);
    ok(!/ class=|<style|#0f5c5c/.test(html), html);
    match(page, /<meta name="robots" content="noindex"\/?>/);
  },
);

testOnOne(
  "A copied list is that of the filter, the order and the page of its address",
  async (database) => {
    const items = Array.from({ length: 62 }, (_, place) => makeItem(place + 1));
    await using app = await serve(
      database,
      [...items, makeItem(99, { product_name: "Other" })],
      {},
    );
    const first = await readCopy(app, "/copy?product_name=Product&sort=last_modified&view=board");
    match(first.text, /^Roadmap of Roadcast\n\nProduct: 62 releases\.\n\nReleases\n/);
    assertEquals(first.text.match(/^- /gm)!.length, 50);
    assertEquals(linksIn(first.html).slice(-2), [
      "http://localhost:8000/?product_name=Product&sort=last_modified",
      "http://localhost:8000/?product_name=Product&sort=last_modified",
    ]);
    match(first.text, /and 12 more:\nhttp:\/\/localhost:8000\/\?product_name=Product/);
    const second = await readCopy(app, "/copy?product_name=Product&sort=last_modified&page=2");
    assertEquals(second.text.match(/^- /gm)!.length, 12);
    match(second.text, /and 50 more/);
    match(second.page, /<a href="\/\?product_name=Product&amp;sort=last_modified&amp;page=2"/);
    const none = await readCopy(app, "/copy?product_name=Nothing");
    match(none.text, /Nothing: no releases\.\n\nOpen the roadmap/);
    const before = await readCopy(app, "/copy?as_of=2020-01-01");
    match(before.text, /No releases, as of 1 Jan 2020\./);
  },
);

testOnOne(
  "Names in what is copied are text, on one line and in their own order",
  async (database) => {
    const feature_name = ' <img src=x onerror="alert(1)"> "style="a" \u202Egnp.exe\n&amp; #0f5c5c';
    const release_status = `Planned <b>\u202e${"x".repeat(90)}`;
    const name = '<img src=x onerror="alert(1)"> "style="a" gnp.exe & #0f5c5c';
    const escaped = name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;");
    await importItems(database, [makeItem(1, { feature_name, release_status })]);
    await using app = await serve(database, [
      makeItem(1, { feature_name, release_status, release_date: "Q4 2026" }),
    ], { SITE_ACCENT: "7a1f5c" });
    for (const path of ["/copy", "/copy?of=changelog", `/copy?release_item_id=${idOf(1)}`]) {
      const { html, page } = await readCopy(app, path);
      ok(html.includes(escaped), `${path}: ${html}`);
      ok(!/\u202e|<img|<b>/.test(page.replace(/<header.*?<\/header>/s, "")), path);
      ok(!html.includes("x".repeat(60)), path);
    }
  },
);

testOnOne(
  "A copied changelog has its days and sentences, and obeys its filters",
  async (database) => {
    const five = [1, 2, 3, 4, 5].map((number) => makeItem(number));
    await importItems(database, five, { asOf: "2026-07-01", announce: false });
    const moved = { release_date: "Q4 2026" };
    await importItems(database, [
      makeItem(1, moved),
      makeItem(2, { product_name: "Other", release_date: "Q2 2026" }),
      makeItem(3, { release_status: "Shipped" }),
      makeItem(4, { release_date: null }),
      makeItem(6, moved),
    ], { asOf: "2026-07-10" });
    await importItems(database, [
      makeItem(1, moved),
      makeItem(2, { product_name: "Other", release_date: "Q2 2026", release_status: "Shipped" }),
      makeItem(3, { release_status: "Shipped" }),
      makeItem(4, moved),
      makeItem(6, moved),
    ], { asOf: "2026-07-15" });
    await using app = await startApp(database, { SITE_NAME: "Acme" });
    const { text, html } = await readCopy(app, "/copy?of=changelog");
    assertEquals(
      text.replace(/\n {2}http.*/g, ""),
      `Changes to the roadmap of Acme

All changes.

Wednesday, 15 July 2026
-----------------------

- Feature 2
  Shipped 1 quarter late · planned for Q2 2026 · Other

- Feature 4
  Date set to Q4 2026 · Product

Friday, 10 July 2026
--------------------

- Feature 3
  Shipped as planned · Q3 2026 · Product

- Feature 5
  Removed from the roadmap · Q3 2026 · Product

- Feature 1
  Slipped from Q3 2026 to Q4 2026 · Product

- Feature 2
  Moved earlier from Q3 2026 to Q2 2026 · Other
  Product changed from “Product” to “Other”

- Feature 6
  New on the roadmap · Q4 2026 · Product

- Feature 4
  Date removed, was Q3 2026 · Product

Wednesday, 1 July 2026
----------------------

- We started with 5 releases

Open the changelog of Acme:
http://localhost:8000/changelog
`,
    );
    match(html, />Slipped from Q3 2026 to Q4 2026<\/span>/);
    const narrow = await readCopy(app, "/copy?of=changelog&kind=slipped&month=2026-07&days=30");
    match(narrow.text, /\n\nSlipped · Last 30 days · Jul 2026\.\n/);
    assertEquals(narrow.text.match(/^- .*/gm), ["- Feature 1"]);
    assertEquals(linksIn(narrow.html), [
      `http://localhost:8000/release/${idOf(1)}`,
      "http://localhost:8000/changelog?kind=slipped&days=30&month=2026-07",
    ]);
    const other = await readCopy(app, "/copy?of=changelog&product_name=Other&q=feature");
    assertEquals(other.text.match(/^- .*/gm), [
      "- Feature 2",
      "- Feature 2",
      "- We started with 1 release",
    ]);
    const none = await readCopy(app, "/copy?of=changelog&kind=cancelled");
    match(none.text, /Cancelled\.\n\nNo changes\.\n/);
    const page = await (await app.fetch("/changelog?kind=slipped&days=30")).text();
    match(
      page,
      /<a href="\/copy\?of=changelog&amp;kind=slipped&amp;days=30" rel="nofollow">Copy for email<\/a>/,
    );
  },
);

testOnOne("At most 50 changes are copied, and the rest is counted", async (database) => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, place) => makeItem(place + 1, { product_name: `P${place}` }));
  await importItems(database, [makeItem(500)], { asOf: "2026-07-01" });
  await importItems(database, [makeItem(500), ...named(120)], { asOf: "2026-07-10" });
  await using app = await startApp(database, {});
  for (const [query, more] of [["", "and 71 more"], ["&kind=added", "and 71 more"]]) {
    const { text } = await readCopy(app, `/copy?of=changelog${query}`);
    assertEquals(text.match(/^- /gm)!.length, 50);
    ok(text.includes(`\n\n${more}:\nhttp://localhost:8000/changelog`), text.slice(-300));
  }
  const { text } = await readCopy(app, "/copy?of=changelog&kind=added&kind=slipped");
  match(text, /\n\nand more:\nhttp/);
  const fresh = await readCopy(app, "/copy?of=changelog&kind=added&days=30&product_name=P1");
  ok(!/more/.test(fresh.text));
});

testOnOne(
  "Releases to which the same happened are copied below one sentence",
  async (database) => {
    const named = (fields: object) => [1, 2, 3].map((number) => makeItem(number, { ...fields }));
    await importItems(database, named({}), { asOf: "2026-07-01" });
    await importItems(database, named({ release_date: "Q1 2027" }), { asOf: "2026-07-10" });
    await using app = await startApp(database, {});
    const { text } = await readCopy(app, "/copy?of=changelog&kind=slipped");
    match(
      text,
      /- 3 releases of Product slipped from Q3 2026 to Q1 2027\n {2}- Feature \d\n {4}http/,
    );
  },
);

testOnOne(
  "A copied release has its status, date, moves, description and history",
  async (database) => {
    const item = { feature_description: "**Faster** than [before](https://example.com)." };
    await importItems(database, [makeItem(1, item)], { asOf: "2026-06-01" });
    await importItems(database, [makeItem(1, { ...item, release_date: "Q2 2026" })], {
      asOf: "2026-06-20",
    });
    await using app = await startApp(database, { SITE_NAME: "Acme" });
    const { text, html, page } = await readCopy(app, `/copy?release_item_id=${idOf(1)}`);
    assertEquals(
      text,
      `Feature 1

Planned, Overdue

Product · General availability

Expected: Q2 2026

Moved once: 1 quarter earlier than the original Q3 2026.

Faster than before.

20 Jun 2026: Release date moved earlier, from Q3 2026 to Q2 2026

1 Jun 2026: First seen

Open on the roadmap of Acme:
http://localhost:8000/release/${idOf(1)}
`,
    );
    assertEquals(linksIn(html), [`http://localhost:8000/release/${idOf(1)}`]);
    match(page, new RegExp(`<a href="/release/${idOf(1)}" rel="nofollow">Back</a>`));
    await importItems(database, [makeItem(1, { ...item, release_status: "Shipped" })], {
      asOf: "2026-07-01",
    });
    const shipped = await readCopy(app, `/copy?release_item_id=${idOf(1)}`);
    match(shipped.text, /\n\nShipped\n\n.*\n\nShipped: 1 Jul 2026, planned for Q3 2026\n/);
    for (let day = 2; day <= 14; day++) {
      const changed = { ...item, release_status: "Shipped", release_type: `Preview ${day}` };
      await importItems(database, [makeItem(1, changed)], {
        asOf: `2026-07-${String(day).padStart(2, "0")}`,
      });
    }
    const long = await readCopy(app, `/copy?release_item_id=${idOf(1)}`);
    const days = [...long.text.matchAll(/^(\d+) Jul 2026: /gm)].map(([, day]) => day);
    assertEquals([days.length, days[0], days.at(-1)], [10, "14", "5"]);
    await importItems(database, [makeItem(2)], { asOf: "2026-07-15", allowMassRemoval: true });
    const removed = await readCopy(app, `/copy?release_item_id=${idOf(1)}`);
    match(removed.text, /^Feature 1\n\nRemoved, Shipped\n/);
  },
);

testOnOne("A wrong address of a copy says what is wrong", async (database) => {
  await using app = await serve(database, [makeItem(1)], { ROADMAP_VARIANT: "both" });
  const wrong: [path: string, status: number, said: string][] = [
    ["/copy?of=board", 400, "of must be changelog."],
    ["/copy?release_item_id=1", 400, "release_item_id must be a UUID"],
    [`/copy?of=changelog&release_item_id=${idOf(1)}`, 400, "leave one of them out"],
    [`/copy?release_item_id=${idOf(9)}`, 404, `no release with the id ${idOf(9)}`],
    [
      "/copy?release_date_from=soon",
      400,
      "Use a date such as 2026-01-31, or a quarter such as Q3 2026.",
    ],
    ["/copy?of=changelog&month=13", 400, "Use a month such as 2026-01."],
    ["/copy?of=changelog&kind=lost", 400, "This filter doesn’t exist any more."],
    ["/copy?of=changelog&before=1", 400, "before must come from the link"],
    ["/b/copy?of=changelog", 404, "There is no changelog on this site"],
  ];
  for (const [path, status, said] of wrong) {
    const response = await app.fetch(path);
    const page = await response.text();
    assertEquals(response.status, status, path);
    ok(decodeEntities(page).includes(said), `${path}: ${page}`);
    ok(!response.headers.get("Content-Security-Policy")!.includes("unsafe"), path);
  }
  const inB = await readCopy(app, "/b/copy");
  ok(linksIn(inB.html).every((link) => link.startsWith("http://localhost:8000/b/")), inB.html);
});

testOnOne(
  "Only a copy may have styles in its elements, and no other origin may frame it",
  async (database) => {
    await using app = await serve(database, [makeItem(1)], {});
    for (const path of ["/", "/changelog", `/release/${idOf(1)}`]) {
      const response = await app.fetch(path);
      ok(!response.headers.get("Content-Security-Policy")!.includes("unsafe"), path);
      ok(!/ style="/.test(await response.text()), path);
    }
    const { response } = await readCopy(app, "/copy");
    const policy = response.headers.get("Content-Security-Policy")!;
    match(policy, /style-src 'self';.*frame-ancestors 'none'; style-src-attr 'unsafe-inline'$/);
  },
);
