import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage } from "../support/pages.ts";

/** Badge and name of each line of a changelog, under the days. */
function readLines(html: string): string[] {
  const parts = html.matchAll(
    /<h2 id="([\d-]+)">|<span class="badge kind-(\w+)">|<bdi>(Feature \d+)<\/bdi><\/a>|<strong dir="auto">([^<]*)/g,
  );
  return [...parts].flatMap((part) => part.slice(1).filter((word) => word !== undefined));
}

const status = (number: number, release_status: string) =>
  makeItem(number, { release_status, last_modified: null });

testOnDatabases("A change stays on its day, whatever becomes of the release", async (database) => {
  await importItems(database, [status(1, "Planned")], { asOf: "2025-10-01", announce: false });
  await importItems(database, [status(1, "Shipped")], { asOf: "2025-10-07" });
  await importItems(database, [status(1, "Planned")], { asOf: "2025-11-01" });
  await using app = await startApp(database);
  assertEquals(readLines(await readPage(app, "/changelog")), [
    ...["2025-11-01", "taken_back", "Feature 1"],
    ...["2025-10-07", "shipped", "Feature 1"],
    ...["2025-10-01", "added", "We started with 1 release", "Feature 1"],
  ]);
  assertEquals(readLines(await readPage(app, "/changelog?kind=shipped")), [...[
    "2025-10-07",
    "shipped",
    "Feature 1",
  ]]);
});

testOnDatabases(
  "The changelog reaches back to the first change, page by page",
  async (database) => {
    // A page has 100 changes, and ends within a day.
    const days = Array.from(
      { length: 18 },
      (_, n) => new Date(Date.UTC(2025, 0, 20 + n)).toISOString().slice(0, 10),
    );
    const items = [1, 2, 3, 4, 5, 6, 7].map((number) =>
      makeItem(number, { product_name: `P${number}`, last_modified: null })
    );
    for (const asOf of days) {
      const rewritten = items.map((item) => ({ ...item, feature_description: `On ${asOf}` }));
      await importItems(database, rewritten, { asOf, announce: false });
    }
    await using app = await startApp(database);
    const read = (html: string) => {
      let day = "";
      return readLines(html).flatMap((line) => {
        if (/^\d{4}-/.test(line)) {
          day = line;
        }
        return /^Feature/.test(line) ? [`${day} ${line}`] : [];
      });
    };
    const seen: string[] = [];
    let [path, pages]: [string | undefined, number] = ["/changelog", 0];
    for (; path; pages++) {
      const html: string = await readPage(app, path);
      seen.push(...read(html));
      path = /<a rel="next" href="([^"]+)">Older/.exec(html)?.[1]?.replaceAll("&amp;", "&");
    }
    const all = days.flatMap((day) => items.map((_, at) => `${day} Feature ${at + 1}`));
    assertEquals([pages, seen.toSorted()], [2, all.toSorted()]);
    assertEquals([...new Set(seen.map((line) => line.split(" ")[0]))], days.toReversed());
    const january = await readPage(app, "/changelog?month=2025-01");
    assertEquals(read(january).length, 12 * 7);
    const toMonth = (month: string) =>
      new RegExp(`<li><a href="[^"]*month=${month}"[^>]*>(.*?)</a>`).exec(january)![1]!
        .replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
    assertEquals([toMonth("2025-02"), toMonth("2025-01")], ["February 2025 42", "January 2025 77"]);
  },
);

testOnDatabases("Three releases with the same change share one line", async (database) => {
  const items = (release_date: string) =>
    [1, 2, 3].map((number) => makeItem(number, { release_date, last_modified: null }));
  const other = (number: number) =>
    makeItem(number, { product_name: "Other", last_modified: null });
  await importItems(database, [...items("Q3 2026"), other(4), other(5)], { announce: false });
  await using app = await serve(database, [
    ...items("Q1 2027"),
    ...[other(4), other(5)].map((item) => ({ ...item, release_date: "Q1 2027" })),
  ]);
  const lines = readLines(await readPage(app, "/changelog/2026-07-20"));
  assertEquals(lines.slice(0, 5), [...[
    "2026-07-20",
    "slipped",
    "3 releases of Product slipped from Q3 2026 to Q1 2027",
  ], ...["Feature 3", "Feature 2"]]);
  assertEquals(lines.filter((line) => line === "slipped").length, 3);
});

testOnDatabases("Each day has a permanent page", async (database) => {
  await importItems(database, [status(1, "Planned")], { asOf: "2026-07-01" });
  await importItems(database, [status(1, "Shipped")], { asOf: "2026-07-10" });
  await using app = await startApp(database);
  assertEquals(readLines(await readPage(app, "/changelog/2026-07-10")), [...[
    "2026-07-10",
    "shipped",
    "Feature 1",
  ]]);
  const empty = await readPage(app, "/changelog/2026-07-05");
  match(empty, /Nothing changed on this day/);
  match(empty, /href="\/changelog\/2026-07-10"/);
  match(empty, /href="\/changelog\/2026-07-01"/);
  for (const day of ["2026-02-30", "yesterday", "2026-7-1"]) {
    await readPage(app, `/changelog/${day}`, 404);
  }
  await using appOfB = await startApp(database, { ROADMAP_VARIANT: "b" });
  await readPage(appOfB, "/changelog/2026-07-10", 404);
});

testOnDatabases("A cursor leads only to the changes after it", async (database) => {
  await using app = await serve(database, [status(1, "Planned"), status(2, "Planned")]);
  const { next_after } = await app.json("/api/changes/releases");
  await importItems(database, [status(1, "Shipped"), status(2, "Planned")]);
  app.setClock("2026-07-20T12:00:05Z");
  const { summary, kinds } = await app.json(`/api/changes/releases?after=${next_after}`);
  assertEquals({ summary, kinds }, { summary: "1 shipped", kinds: { shipped: 1 } });
  const html = await readPage(app, `/changelog?after=${next_after}`);
  assertEquals(readLines(html), ["2026-07-20", "shipped", "Feature 1"]);
  match(html, /1 change since your last visit/);
  await refuse(app, "after=1-aaaaaaaaaaaa-1-0", /after is a cursor of another database/);
  await refuse(app, "after=soon", /after must be a cursor from an earlier response/);
  await refuse(app, "before=soon", /before must come from the link to older changes/);
  await refuse(app, "month=2026-13", /Use a month such as 2026-01\./);
  await refuse(app, "kind=late", /This filter doesn’t exist any more\./);
});

async function refuse(app: TestApp, query: string, reason: RegExp): Promise<void> {
  match(await readPage(app, `/changelog?${query}`, 400), reason);
}

testOnDatabases("The changelog of a day is worded as of that day", async (database) => {
  await importItems(database, [status(1, "Planned"), status(2, "Planned")], { asOf: "2026-07-01" });
  await importItems(database, [status(1, "Shipped"), status(2, "Planned")], { asOf: "2026-07-10" });
  await importItems(database, [status(1, "Planned"), status(2, "Planned")], { asOf: "2026-07-12" });
  await using app = await startApp(database);
  const { days, total_items } = await app.json("/api/changelog?date=2026-07-10&days=1");
  assertEquals([total_items, days.length, days[0].date, days[0].count], [1, 1, "2026-07-10", 1]);
  assertEquals(days[0].items[0].changed_columns, ["Release Status Planned -> Shipped"]);
  assertEquals((await app.json("/api/changelog?date=2026-07-11")).days, []);
  const wrong = await app.fetch("/api/changelog?date=2026-02-30");
  assertEquals(wrong.status, 400);
  match((await wrong.json()).detail, /^date must be a date such as 2026-01-31/);
});

testOnDatabases("Feeds and the changelog can be filtered by kind", async (database) => {
  await importItems(database, [1, 2, 3].map((number) => status(number, "Planned")));
  await using app = await serve(database, [
    status(1, "Shipped"),
    makeItem(2, { release_date: "Q1 2027", last_modified: null }),
    status(3, "Planned"),
  ]);
  const { days } = await app.json("/api/changelog?kind=slipped");
  assertEquals(
    days.flatMap(({ items }: { items: { feature_name: string }[] }) => items).map((
      { feature_name }: { feature_name: string },
    ) => feature_name),
    ["Feature 2"],
  );
  const { items, feed_url } = await app.json("/feed.json?kind=shipped");
  assertEquals(items.map(({ title }: { title: string }) => title), ["Shipped: Feature 1"]);
  match(feed_url, /\?kind=shipped$/);
  // All that happened to it that day is its addition, where nobody asks for one kind.
  for (
    const path of ["/feed.json", "/feed.json?kind=added", "/feed.json?kind=added&kind=shipped"]
  ) {
    const { items } = await app.json(path);
    assertEquals(items.map(({ title }: { title: string }) => title.split(":")[0]), [...[
      "New",
      "New",
      "New",
    ]], path);
  }
  const rss = await (await app.fetch("/rss.xml?kind=shipped&kind=slipped")).text();
  match(rss, /Feature 2[^]*Feature 1|Feature 1[^]*Feature 2/);
  doesNotMatch(rss, /Feature 3/);
  assertEquals((await app.fetch("/rss.xml?kind=late")).status, 400);
});

testOnDatabases(
  "Kinds that few look for are in a menu, unless chosen or the only one",
  async (database) => {
    const kindsIn = (html: string) => {
      const [tabs, menu = ""] = /aria-label="Kinds of change">.*?<\/nav>/s.exec(html)![0].split(
        "<details",
      );
      const named = (part: string) => [...part.matchAll(/kind=(\w+)/g)].map(([, kind]) => kind);
      return [named(tabs!), named(menu)];
    };
    await importItems(database, [1, 2, 3].map((number) => status(number, "Planned")), {
      announce: false,
    });
    await using app = await serve(database, [
      status(1, "Shipped"),
      status(2, "Started"),
      status(3, "Planned"),
    ]);
    assertEquals(kindsIn(await readPage(app, "/changelog")), [["shipped", "started"], []]);
    await using second = await serve(database, [
      status(1, "Shipped"),
      status(2, "Started"),
      status(3, "Cancelled"),
    ]);
    assertEquals(kindsIn(await readPage(second, "/changelog")), [["shipped"], [
      "cancelled",
      "started",
    ]]);
    assertEquals(kindsIn(await readPage(second, "/changelog?kind=started")), [[
      "shipped",
      "cancelled",
      "started",
    ], []]);
  },
);

testOnDatabases("A change that shipped says whether that was on time", async (database) => {
  const items = (release_status: string) =>
    ["Q3 2026", "Q1 2026", "Q4 2026"].map((release_date, place) =>
      makeItem(place + 1, {
        release_date,
        release_status,
        product_name: `Product ${place}`,
        last_modified: null,
      })
    );
  await importItems(database, items("Planned"), { asOf: "2026-01-01", announce: false });
  await importItems(database, items("Shipped"), { asOf: "2026-07-10" });
  await using app = await startApp(database);
  const dates = [
    ...(await readPage(app, "/changelog")).matchAll(/<p class="entry-date">(.*?)<\/p>/g),
  ].map(([, date]) => date!.replace(/<[^>]*>/g, ""));
  assertEquals(dates.sort(), ["Q1 2026, 2 quarters late", "as planned, Q3 2026", "early, Q4 2026"]);
});

testOnDatabases("A changelog without changes for a week says so", async (database) => {
  await importItems(database, [status(1, "Planned")], { asOf: "2026-07-01" });
  await importItems(database, [status(1, "Shipped")], { asOf: "2026-07-10" });
  await using app = await startApp(database);
  match(await readPage(app, "/changelog"), /No changes since.*10 Jul 2026.* \(10 days\)/);
  doesNotMatch(await readPage(app, "/changelog?month=2026-07"), /No changes since/);
  await importItems(database, [status(1, "Planned")], { asOf: "2026-07-13" });
  await using week = await startApp(database);
  match(await readPage(week, "/changelog"), /No changes since.*13 Jul 2026.* \(7 days\)/);
  await importItems(database, [status(1, "Shipped")], { asOf: "2026-07-14" });
  await using later = await startApp(database);
  doesNotMatch(await readPage(later, "/changelog"), /No changes since/);
});

testOnDatabases("The form of the changelog subscribes to what the page shows", async (database) => {
  await using app = await serve(database, [status(1, "Planned")]);
  const html = await readPage(
    app,
    "/changelog?kind=slipped&product_name=Product&q=sign-in&release_status=Planned",
  );
  const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map((
    [, name, value],
  ) => `${name}=${value}`);
  for (
    const field of ["products=Product", "statuses=Planned", "searches=sign-in", "kinds=slipped"]
  ) {
    assertEquals(fields.includes(field), true, field);
  }
  match(html, /changes to Product releases .*\(only Slipped\)\./);
  match(html, /<link rel="alternate" type="application\/rss\+xml"[^>]*kind=slipped/);
  match(html, /class="button follow-button" href="\/subscribe\?[^"]*kind=slipped"/);
});

testOnDatabases("A day says what happened on it, by kind", async (database) => {
  const before = [1, 2, 3, 4].map((number) => status(number, "Planned"));
  await importItems(database, before, { asOf: "2026-07-01" });
  await importItems(database, [
    status(1, "Shipped"),
    { ...status(2, "Shipped"), release_date: "Q4 2026" },
    { ...before[2], release_date: "Q4 2026" },
    { ...before[3], feature_name: "Feature four" },
  ], { asOf: "2026-07-10" });
  await importItems(database, before.slice(1), { asOf: "2026-07-11" });
  await using app = await startApp(database);
  const [last] = (await readPage(app, "/changelog/2026-07-11")).match(
    /<li class="entry.*?<\/li>/s,
  )!;
  match(last, /^<li class="entry removed">.*Feature 1</s);
  for (const path of ["/changelog", "/changelog/2026-07-10"]) {
    const [, head] = /<h2 id="2026-07-10">(.*?)<\/h2>/s.exec(await readPage(app, path))!;
    match(head!, />2 shipped, 1 slipped, 1 edited</);
  }
});

testOnDatabases("The line of a new source leads to exactly its releases", async (database) => {
  const ours = Array.from(
    { length: 30 },
    (_, place) =>
      makeItem(place + 100, { product_name: place < 24 ? "Ours" : "Theirs", last_modified: null }),
  );
  await importItems(database, [makeItem(1)], { asOf: "2026-06-01" });
  const options = { sourceName: "ours", allowMassRemoval: true, announce: false };
  await importItems(database, ours, { ...options, asOf: "2026-06-10" });
  // Later some of them go, and others come.
  await importItems(database, [...ours.slice(0, 20), makeItem(500)], {
    ...options,
    asOf: "2026-07-01",
  });
  await using app = await startApp(database);
  const cases = {
    "/changelog": 30,
    "/changelog/2026-06-10": 30,
    "/changelog?product_name=Ours": 24,
    "/changelog?month=2026-06&product_name=Ours": 24,
  };
  for (const [path, count] of Object.entries(cases)) {
    const html = await readPage(app, path);
    match(html, new RegExp(`Now also following ours: ${count} releases`), path);
    const [, href] = /<a rel="nofollow" href="([^"]*)">and \d+ more<\/a>/.exec(html)!;
    const { data, total } = await app.json(
      href!.replaceAll("&amp;", "&").replace("/?", "/search.json?"),
    );
    assertEquals([path, total, data], [path, count, undefined]);
    match(await readPage(app, href!.replaceAll("&amp;", "&")), new RegExp(`>${count} releases`));
  }
});

testOnDatabases("The steps between days include those of first imports", async (database) => {
  await importItems(database, [status(1, "Planned")], { asOf: "2026-03-02" });
  await importItems(database, [status(1, "Shipped")], { asOf: "2026-03-10" });
  await importItems(database, [makeItem(2)], { asOf: "2026-03-20", sourceName: "ours" });
  await using app = await startApp(database);
  const beside = async (day: string) => {
    const html = await readPage(app, `/changelog/${day}`);
    return ["prev", "next"].map((rel) =>
      new RegExp(`<a rel="${rel}" href="/changelog/([^"]*)"`).exec(html)?.[1]
    );
  };
  assertEquals(await beside("2026-03-01"), ["2026-03-02", undefined]);
  assertEquals(await beside("2026-03-02"), ["2026-03-10", undefined]);
  assertEquals(await beside("2026-03-10"), ["2026-03-20", "2026-03-02"]);
  assertEquals(await beside("2026-03-15"), ["2026-03-20", "2026-03-10"]);
  assertEquals(await beside("2026-04-01"), [undefined, "2026-03-20"]);
});

testOnDatabases(
  "Spellings that differ in case are one choice on every page with a filter",
  async (database) => {
    const date = { release_date: "Q2 2026", last_modified: null };
    const before = [
      makeItem(1, { product_name: "Azure AD", ...date }),
      makeItem(2, { product_name: "Azure ad", ...date }),
      makeItem(3, { product_name: "Maps", ...date }),
    ];
    await importItems(database, before, { asOf: "2026-01-15" });
    await importItems(database, before.map((item) => ({ ...item, release_status: "Shipped" })), {
      asOf: "2026-07-10",
    });
    await using app = await startApp(database);
    for (const spelling of ["Azure AD", "Azure ad"]) {
      const query = new URLSearchParams({ product_name: spelling });
      for (const path of ["/", "/changelog", "/insights", "/compare"]) {
        const from = path === "/compare" ? "&from=2026-01-20" : "";
        const html = await readPage(app, `${path}?${query}${from}`);
        const [, results] = /<main(.*)<\/main>/s.exec(html)!;
        match(results!, /2 (releases|changes|shipped)|Of 2 releases/, `${path} ${spelling}`);
        const offered = [...html.matchAll(/name="product_name" value="([^"]*)"/g)].map((
          [, value],
        ) => value!);
        const others = offered.filter((value) => value !== spelling && value !== "Maps");
        assertEquals(others.length <= 1 && new Set(offered).size === offered.length, true, path);
        if (spelling === "Azure AD") assertEquals(others, [], path);
        match(html, /\/rss\.xml\?product_name=Azure\+AD&amp;product_name=Azure\+ad/, path);
      }
    }
  },
);

testOnDatabases(
  "The summary of a day counts all of its changes, however many it lists",
  async (database) => {
    const items = (date: string) =>
      Array.from(
        { length: 1_004 },
        (_, n) => makeItem(n, { release_date: n < 1_002 ? date : "Q3 2026" }),
      );
    await importItems(database, items("Q3 2026"), { asOf: "2026-07-14" });
    await importItems(database, [
      ...items("Q4 2026").slice(0, -1),
      makeItem(1_003, { release_status: "Shipped" }),
    ], { asOf: "2026-07-15" });
    await using app = await startApp(database);
    const page = await (await app.fetch("/changelog/2026-07-15")).text();
    const [, summary] = /<span class="quiet">([^<]*)<\/span><\/h2>/.exec(page)!;
    assertEquals(summary, "1 shipped, 1,002 slipped");
  },
);
