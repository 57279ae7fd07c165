import { deepStrictEqual as assertEquals, doesNotMatch, match, ok } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import { DataCache } from "../../lib/database/data_version.ts";
import { ProductPromises } from "../../lib/insights/read_insights.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage, releasesIn } from "../support/pages.ts";
import { slowOnDatabases } from "../support/slow.ts";

const ID = makeItem(1).release_item_id;

testOnDatabases(
  "A release page shows all fields of a release, and its history in words",
  async (database) => {
    const item = makeItem(1, {
      feature_name: "Feature &quot;one&quot;",
      feature_description: "**Overview**Enable &lt;b&gt;it&lt;/b&gt;.",
      blog_title: "The post",
      blog_url: "https://example.com/post",
    });
    await importItems(database, [item, makeItem(2)], { asOf: "2026-07-05" });
    const changed = { ...item, release_date: "Q4 2026", release_status: "Shipped" };
    await importItems(database, [{ ...changed, last_modified: null }, makeItem(2)], {
      asOf: "2026-07-10",
    });
    await using app = await startApp(database);
    const html = await readPage(app, `/release/${ID}`);
    match(html, /<h1><bdi>Feature (&quot;|")one(&quot;|")<\/bdi><\/h1>/);
    match(html, /<p><strong>Overview<\/strong><\/p>\s*<p>Enable <b>it<\/b>.<\/p>/);
    match(html, /Release date moved later, from Q3 2026 to Q4 2026/);
    match(html, /Status changed from “Planned” to “Shipped”/);
    match(html, /First seen/);
    match(
      html,
      /<a href="https:\/\/example.com\/post" rel="noopener noreferrer"><bdi>The post<\/bdi><\/a>/,
    );
    match(html, /<meta property="og:type" content="article"/);
    const [, linked] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html)!;
    assertEquals(JSON.parse(linked!).headline, 'Feature "one"');
    match(html, /Related releases<\/h2>.*Feature 2/);
    match(html, /href="\/subscribe\?product_name=Product"/);
    await readPage(app, `/release/${String(ID).replaceAll("0", "9")}`, 404);
    match(
      await readPage(app, "/release/abc", 400),
      /<h1>This link doesn’t work<\/h1><p>There is no release at \/release\/abc\./,
    );
    match(
      html,
      /<span class="copy-link" data-copy="http:\/\/localhost:8000\/release\/[\d-]+"><button/,
    );
  },
);

testOnDatabases(
  "A removed release is marked by variant A and not found in variant B",
  async (database) => {
    await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
    await using app = await serve(database, [makeItem(2), makeItem(3)], {
      ROADMAP_VARIANT: "both",
    });
    match(await readPage(app, `/release/${ID}`), /was removed from the roadmap/);
    await readPage(app, `/b/release/${ID}`, 404);
    assertEquals(releasesIn(await readPage(app, "/")).includes("Feature 1"), false);
    const withRemoved = await readPage(app, "/?include_inactive=true");
    assertEquals(releasesIn(withRemoved).includes("Feature 1"), true);
    match(withRemoved, /<span class="badge tone-removed">Removed<\/span>/);
    assertEquals(releasesIn(await readPage(app, "/b/?include_inactive=true")).length, 2);
  },
);

testOnDatabases("A removal is explained by the last status", async (database) => {
  const statuses = ["Planned", "Shipped", "Cancelled"];
  await importItems(database, [
    ...statuses.map((release_status, i) => makeItem(i + 1, { release_status })),
    ...[7, 8, 9].map((number) => makeItem(number)),
  ]);
  await using app = await serve(database, [7, 8, 9].map((number) => makeItem(number)));
  const explanations = await Promise.all(statuses.map(async (_, i) => {
    const html = await readPage(app, `/release/${makeItem(i + 1).release_item_id}`);
    return /was removed from the roadmap<\/strong> on .*?<\/time>\. (.*?)<\/p>/.exec(html)![1];
  }));
  assertEquals(explanations, [
    "It may have been cancelled or merged into another release.",
    "Its last status was Shipped, so it was most likely removed because it shipped.",
    "Its last status was Cancelled.",
  ]);
});

testOnDatabases("A release page says how often its date moved, with a chart", async (database) => {
  const importDate = (release_date: string | null, asOf: string) =>
    importItems(database, [makeItem(1, { release_date, last_modified: null })], { asOf });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  await importDate("2026-06-10", "2026-02-01");
  assertEquals((await readPage(app, `/release/${ID}`)).includes('class="promise"'), false);
  await importDate("2026-06-20", "2026-03-01");
  await using second = await startApp(database, { ROADMAP_VARIANT: "both" });
  // A move within a quarter does not count in variant A, which shows quarters.
  assertEquals((await readPage(second, `/release/${ID}`)).includes('class="promise"'), false);
  match(
    await readPage(second, `/b/release/${ID}`),
    /Moved once: 10 days later than the original 10 Jun 2026/,
  );
  await importDate(null, "2026-04-01");
  await importDate("Q4 2026", "2026-05-01");
  await importDate("Q1 2027", "2026-05-01");
  await using third = await startApp(database);
  const html = await readPage(third, `/release/${ID}`);
  match(html, /Moved 2 times: 3 quarters later than the original Q2 2026/);
  match(
    html,
    /aria-label="Planned date over time: since 1 Feb 2026 Q2 2026, since 1 Mar 2026 Q2 2026, since 1 Apr 2026 no date, since 1 May 2026 Q1 2027"/,
  );
  // The line has a gap while there is no date.
  const [, path] = /<path class="said" d="([^"]*)"/.exec(html)!;
  match(path!, /^M[\d .]+H\d+L[\d .]+H\d+M[\d .]+H324$/);
});

testOnDatabases("Each change of a release can be linked to", async (database) => {
  const importStatus = (release_status: string, asOf: string) =>
    importItems(database, [makeItem(1, { release_status, last_modified: null })], { asOf });
  await importStatus("Planned", "2026-07-01");
  await importStatus("Started", "2026-07-10");
  await importStatus("Shipped", "2026-07-10");
  await using app = await startApp(database);
  const html = await readPage(app, `/release/${ID}`);
  const ids = [...html.matchAll(/<li class="at-\w+" id="([^"]+)"/g)].map(([, id]) => id);
  assertEquals(ids, ["2026-07-10-2", "2026-07-10", "2026-07-01"]);
  const links = [...html.matchAll(/<a class="anchor" href="#([^"]+)"/g)].map(([, id]) => id);
  assertEquals(links, ids);
  const changelog = await readPage(app, "/changelog");
  match(changelog, /<h2 id="2026-07-10"><a href="\/changelog\/2026-07-10">/);
});

testOnDatabases(
  "Rewritten texts are compared word by word, on the release page and in the changelog",
  async (database) => {
    const importText = (feature_description: string, asOf: string) =>
      importItems(database, [makeItem(1, { feature_description, last_modified: null })], { asOf });
    const start = "Some words that stay as they are. ".repeat(60);
    await importText(`${start}Export to **CSV** & print.`, "2026-07-01");
    await importText(`${start}Export to JSON & print.`, "2026-07-10");
    await using app = await startApp(database);
    for (const path of [`/release/${ID}`, "/changelog"]) {
      const html = await readPage(app, path);
      match(html, /New description<\/(?:span|summary)><p class="diff" dir="auto">… /, path);
      match(
        html,
        /Export to <del><span class="visually-hidden">removed: <\/span>CSV<\/del> <ins><span class="visually-hidden">added: <\/span>JSON<\/ins> &amp; print/,
        path,
      );
    }
  },
);

testOnDatabases("A release page starts with the release's date and outcome", async (database) => {
  const planned = { release_date: "Q4 2026", last_modified: null };
  const late = { release_date: "Q2 2026", last_modified: null };
  await importItems(database, [makeItem(1, planned), makeItem(2, late), makeItem(3)], {
    asOf: "2026-03-20",
  });
  await importItems(database, [
    makeItem(1, { ...planned, release_status: "Shipped" }),
    makeItem(2, late),
    makeItem(3, { release_date: null, last_modified: null }),
    makeItem(4, { release_date: "2026-07-19" }),
    makeItem(5, { release_date: "2026-07-20" }),
  ], { asOf: "2026-07-01" });
  await using app = await startApp(database);
  const dates = await Promise.all([1, 2, 3, 4, 5].map(async (number) => {
    const html = await readPage(app, `/release/${makeItem(number).release_item_id}`);
    return textOf(/<section class="card date-card".*?<\/section>/s.exec(html)![0]);
  }));
  assertEquals(dates, [
    "Shipped 1 Jul 2026 Planned for Q4 2026 Not moved since we started watching on 20 Mar 2026",
    "Expected Q2 2026 Overdue Not moved since we started watching on 20 Mar 2026",
    "Expected No date",
    "Expected Q3 2026 Overdue Not moved since we started watching on 1 Jul 2026",
    "Expected Q3 2026 Not moved since we started watching on 1 Jul 2026",
  ]);
});

testOnDatabases(
  "A release page says how reliable the dates of its product are",
  async (database) => {
    const due = (number: number, release_status: string) =>
      makeItem(number, { release_date: "Q2 2026", release_status, last_modified: null });
    await importItems(database, [due(1, "Planned"), due(2, "Planned")], { asOf: "2026-05-01" });
    const reliabilityOn = async () => {
      await using app = await startApp(database);
      const html = await readPage(app, `/release/${ID}`);
      return /<section class="card reliability".*?<\/section>/s.exec(html)?.[0];
    };
    assertEquals(await reliabilityOn(), undefined, "too early to judge");
    await importItems(database, [due(1, "Planned"), due(2, "Shipped")], { asOf: "2026-06-01" });
    await importItems(database, [due(1, "Planned"), due(2, "Shipped")], { asOf: "2026-07-10" });
    const said = (await reliabilityOn())!;
    match(textOf(said), /1 of the 2 Product releases due so far shipped on time\./);
    match(said, /href="\/insights\?product_name=Product"/);
    const read = (maxReleases: number) =>
      new ProductPromises(database, new DataCache({ current: 0 }), maxReleases).read(
        "Product",
        "2026-07-20",
      );
    assertEquals((await read(2))?.due, 2);
    assertEquals(await read(1), null);
  },
);

testOnDatabases("Releases that share any product are related", async (database) => {
  const both = { product_name: "Maps", product_names: ["Maps", "Mail"] };
  await using app = await serve(database, [
    makeItem(1, both),
    makeItem(2, { product_name: "Mail", feature_name: "Mail only" }),
    makeItem(3, { product_name: "Chat", feature_name: "Chat only" }),
  ]);
  const html = await readPage(app, `/release/${ID}`);
  match(html, /<li><a rel="nofollow" href="\/\?product_name=Mail"><bdi>Mail<\/bdi><\/a><\/li>/);
  const [, related] = html.split("Related releases</h2>");
  assertEquals(releasesIn(related!), ["Mail only"]);
});

testOnDatabases("A removed release's page lists releases with a similar name", async (database) => {
  const others = [
    makeItem(2, { feature_name: "Large message support for streams" }),
    makeItem(3, { feature_name: "Something else" }),
    makeItem(4, { feature_name: "Large messages in streams", product_name: "Other" }),
  ];
  const removed = makeItem(1, { feature_name: "Streams support large messages" });
  await importItems(database, [removed, ...others]);
  await using app = await serve(database, others);
  const html = await readPage(app, `/release/${ID}`);
  const [, notice] = /Planned under a similar name: (.*?)<\/p>/.exec(html)!;
  assertEquals(releasesIn(notice!), ["Large message support for streams"]);
});

testOnDatabases(
  "A removed release that has shipped or was cancelled has no successor",
  async (database) => {
    const successor = makeItem(9, { feature_name: "Large message support for streams" });
    for (const [number, release_status] of ["Shipped", "Cancelled"].entries()) {
      const gone = makeItem(number + 1, {
        feature_name: "Streams support large messages",
        release_status,
      });
      await importItems(database, [gone, successor]);
      await using app = await serve(database, [successor]);
      const html = await readPage(app, `/release/${gone.release_item_id}`);
      match(html, new RegExp(`Its last status was ${release_status}`));
      doesNotMatch(html, /similar name/);
    }
  },
);

testOnDatabases("The newest twenty descriptions are compared word by word", async (database) => {
  for (let run = 0; run <= 22; run++) {
    await importItems(database, [
      makeItem(1, { feature_description: `Version ${run} of the words`, last_modified: null }),
    ], { asOf: new Date(Date.UTC(2026, 5, 1 + run)).toISOString().slice(0, 10) });
  }
  await using app = await startApp(database);
  const entries = (await readPage(app, `/release/${ID}`)).split(/class="anchor"/).slice(1);
  assertEquals(entries.length, 23);
  const compared = entries.map((entry) => /<ins>|<del>/.test(entry));
  assertEquals(compared, entries.map((_, place) => place < 20));
});

testOnDatabases(
  "The announcement of a release shows its host, if its URL can be parsed",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { blog_title: "The post", blog_url: "https://blog.example.com/post" }),
      makeItem(2, { blog_title: "The post", blog_url: "https://[/post" }),
    ]);
    const announced = await Promise.all([1, 2].map(async (number) => {
      const html = await readPage(app, `/release/${makeItem(number).release_item_id}`);
      return textOf(/<p class="blog-link">.*?<\/p>/.exec(html)![0]);
    }));
    assertEquals(announced, ["Announcement The post blog.example.com", "Announcement The post"]);
  },
);

testOnDatabases("A new announcement is shown by its title, and linked", async (database) => {
  const importPost = (blog_title: string | null, blog_url: string | null, asOf: string) =>
    importItems(database, [makeItem(1, { blog_title, blog_url, last_modified: null })], { asOf });
  await importPost(null, null, "2026-07-01");
  await importPost("The post", "https://example.com/a", "2026-07-05");
  await importPost("The post", "https://example.com/b", "2026-07-10");
  await using app = await startApp(database);
  const html = await readPage(app, `/release/${ID}`);
  const changes = [...html.matchAll(/<(?:a href="([^"]*)"|span) dir="auto"[^>]*>([^<]*)</g)].map((
    [, link, text],
  ) => [text, link]);
  assertEquals(changes, [["Blog post changed", "https://example.com/b"], [
    "Blog post added: The post",
    "https://example.com/a",
  ], ["First seen", undefined]]);
});

testOnDatabases(
  "What a source says of the time before the first import is in the history only",
  async (database) => {
    const planned = (release_date: string, fields = {}) =>
      makeItem(1, { release_date, created: "2026-01-30", last_modified: null, ...fields });
    await importItems(database, [planned("Q3 2026")], { asOf: "2026-06-25" });
    await using app = await startApp(database);
    const first = await readPage(app, `/release/${ID}`);
    match(textOf(first), /Not moved since we started watching on 25 Jun 2026/);
    match(textOf(first), /30 Jan 2026 # New Added to the roadmap/);
    await importItems(database, [planned("Q4 2027")], { asOf: "2026-07-15" });
    await using moved = await startApp(database);
    const html = await readPage(moved, `/release/${ID}`);
    match(html, /aria-label="Planned date over time: since 25 Jun 2026 Q3 2026, since 15 Jul 2026/);
    // A source may say later that a change is older than the first import.
    await importItems(database, [planned("Q1 2028", { last_modified: "2026-06-01" })], {
      asOf: "2026-07-16",
    });
    await using older = await startApp(database);
    const [, drawn] = /<path class="said" d="M(\d+)[^"]*"/.exec(
      await readPage(older, `/release/${ID}`),
    )!;
    assertEquals(drawn, "80");
  },
);

testOnDatabases(
  "The card to watch a release says what can still happen to it",
  async (database) => {
    const items = [
      makeItem(1),
      makeItem(2, { release_status: "Shipped" }),
      makeItem(3, { release_status: "Cancelled" }),
    ];
    await importItems(database, [...items, makeItem(4)], { asOf: "2026-07-01" });
    await importItems(database, items, { asOf: "2026-07-02", allowMassRemoval: true });
    await using app = await startApp(database);
    const cards = await Promise.all([1, 2, 3, 4].map(async (number) => {
      const html = await readPage(app, `/release/${makeItem(number).release_item_id}`);
      return [
        /<h2 id="watch-heading">([^<]*)/.exec(html)![1],
        /before the planned date/.test(html),
      ];
    }));
    assertEquals(cards, [
      ["Email me when this moves or ships", true],
      ["Email me if this changes", false],
      ["Email me if this changes", false],
      ["Email me if this comes back", false],
    ]);
  },
);

slowOnDatabases("The days below the line of moves keep apart from each other", async (database) => {
  for (let day = 2; day <= 19; day++) {
    await database.query(sql`delete from item_rows`);
    const at = (release_date: string, asOf: string) =>
      importItems(database, [makeItem(1, { release_date, last_modified: null })], { asOf });
    await at("Q3 2026", "2026-07-01");
    await at("Q4 2026", `2026-07-${String(day).padStart(2, "0")}`);
    await using app = await startApp(database);
    const html = await readPage(app, `/release/${ID}`);
    const [line] = /<svg\s+class="promise-line".*?<\/svg>/s.exec(html)!;
    const middle = /<text class="middle" x="(\d+)"/.exec(line)?.[1];
    if (middle === undefined) continue;
    // A day takes 66 units: the first one begins at 76, and "today" ends at 324.
    ok(Number(middle) - 33 > 76 + 66, `${day}: ${middle}`);
    ok(Number(middle) + 33 < 324 - 32, `${day}: ${middle}`);
  }
});

/** The text of a piece of HTML. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
}
