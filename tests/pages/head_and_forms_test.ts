import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { readPage } from "../support/pages.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { slowOnDatabases, slowOnOne } from "../support/slow.ts";

/** What the form sends without scripts: its hidden fields, and what is checked. */
function sentFields(html: string, form: string): string[] {
  const [, inside] = new RegExp(`<form[^>]*class="${form}"[^>]*>(.*?)</form>`, "s").exec(html)!;
  return [
    ...inside!.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g),
    ...inside!.matchAll(/<input type="checkbox" name="([^"]*)" value="([^"]*)" checked/g),
  ].map(([, name, value]) => `${name}=${value}`).sort();
}

testOnOne("Pages name their own address, or ask not to be indexed", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database, { BASE_URL: "https://roadmap.example" });
  const { release_item_id } = makeItem(1);
  const own = ["/", "/changelog", "/changelog/2026-07-20", "/insights", "/compare", "/subscribe"];
  for (const path of [...own, "/api", `/release/${release_item_id}`]) {
    const html = await readPage(app, path);
    const [, canonical] = /<link rel="canonical" href="([^"]*)"/.exec(html) ?? [];
    assertEquals([path, canonical], [path, `https://roadmap.example${path}`]);
    match(html, new RegExp(`<meta property="og:url" content="https://roadmap.example${path}"`));
  }
  for (const [path, status] of [["/lost-link", 404], ["/release/abc", 400]] as const) {
    const html = await readPage(app, path, status);
    match(html, /<meta name="robots" content="noindex"/);
    doesNotMatch(html, /rel="canonical"/);
  }
});

testOnOne("A value that nothing has any more stays chosen in a filter", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  for (const path of ["/", "/changelog", "/insights", "/compare"]) {
    const html = await readPage(app, `${path}?tag=Platform:Gone`);
    match(html, /name="tag" value="Platform:Gone" checked/, path);
    doesNotMatch(await readPage(app, path), /name="tag"/, path);
  }
});

testOnOne("The bar of a page marks its place", async (database) => {
  await using app = await startApp(database);
  for (const path of ["/", "/changelog", "/insights", "/subscribe", "/compare"]) {
    const html = await readPage(app, path);
    const [, bar] = /<header class="site-header">(.*?)<\/header>/s.exec(html)!;
    const marked = [...bar!.matchAll(/href="([^"]*)" aria-current="page"/g)].map(([, href]) =>
      href
    );
    assertEquals([path, marked], [path, path === "/compare" ? [] : [path]]);
  }
});

slowOnOne("Crawlers follow no link to a combination of filters", async (database) => {
  const items = Array.from({ length: 60 }, (_, number) => makeItem(number + 1));
  await importItems(database, items, { asOf: "2026-06-20" });
  await importItems(database, items.map((item) => ({ ...item, release_date: "Q4 2026" })));
  await using app = await startApp(database);
  const paths = ["/", "/?page=2", "/changelog", "/insights", "/compare", "/subscribe"];
  for (const path of paths) {
    const html = await readPage(app, path);
    const pattern = /<a [^>]*href="(\/(?:changelog|insights|compare)?\?[^"]*)"[^>]*>/g;
    for (const [link, href] of html.matchAll(pattern)) {
      if (!/[?;](page=\d+$|before=)/.test(href!)) {
        match(link, /rel="nofollow"/, `${path}: ${link}`);
      }
    }
  }
});

testOnOne("Crawlers are kept off the links in emails", async (database) => {
  await using app = await startApp(database);
  const lines = (await (await app.fetch("/robots.txt")).text()).split("\n");
  for (const path of ["/verify-email", "/unsubscribe", "/preferences"]) {
    assertEquals(lines.filter((line) => line === `Disallow: ${path}`).length, 1, path);
  }
});

testOnOne("Crawlers do not walk combinations of filters", async (database) => {
  await using app = await serve(database, [makeItem(1)]);
  const robots = await (await app.fetch("/robots.txt")).text();
  const rules = [...robots.matchAll(/^(Allow|Disallow): (.*)$/gm)].map(([, rule, path]) => ({
    isAllowed: rule === "Allow",
    length: path!.length,
    pattern: new RegExp(`^${path!.split("*").map(RegExp.escape).join(".*")}`),
  }));
  // RFC 9309, section 2.2.2: the longest rule counts.
  const mayRead = (path: string) =>
    rules.filter(({ pattern }) => pattern.test(path)).sort((a, b) => b.length - a.length)[0]!
      .isAllowed;
  const open = ["/", "/?page=2", "/changelog", "/changelog?page=3", "/sitemap.xml?page=2"];
  const feeds = ["/rss?product_name=a", "/atom.xml?q=a", "/calendar.ics?due=next7&alarm=1d"];
  for (const path of [...open, ...feeds]) {
    assertEquals([path, mayRead(path)], [path, true]);
  }
  for (const path of ["/?product_name=a", "/?page=2&q=a", "/changelog?kind=slipped", "/?q="]) {
    assertEquals([path, mayRead(path)], [path, false]);
  }
  const noindex = /<meta name="robots" content="noindex"/;
  for (const path of ["/?product_name=Product", "/?q=a", "/changelog?kind=slipped"]) {
    match(await readPage(app, path), noindex);
  }
  const release = `/release/${makeItem(1).release_item_id}`;
  for (const path of ["/", "/?page=1", "/changelog", release]) {
    doesNotMatch(await readPage(app, path), noindex);
  }
});

slowOnDatabases(
  "Without scripts the forms with filters keep the rest of the URL",
  async (database) => {
    await importItems(database, [makeItem(1)], { asOf: "2026-06-20" });
    await importItems(database, [makeItem(1, { release_date: "Q4 2026" })], { asOf: "2026-07-10" });
    await using app = await startApp(database);
    const { next_after } = await app.json("/api/changes/releases");
    const cases: [path: string, form: string][] = [
      ["/?view=board&from=Q1+2026", "search-form"],
      ["/?view=board&group=status", "search-form"],
      ["/?view=board&from=Q1+2026", "search-form"],
      ["/?sort=release_date&order=asc", "search-form"],
      ["/?as_of=2026-06-30&due=overdue", "search-form"],
      ["/?modified_since=2026-07-01", "search-form"],
      ["/changelog?kind=slipped&month=2026-07", "filter-bar"],
      ["/changelog?days=30", "filter-bar"],
      [`/changelog?after=${next_after}`, "filter-bar"],
    ];
    for (const [path, form] of cases) {
      const given = [...new URL(path, "http://x").searchParams].map(([name, value]) =>
        `${name}=${value}`
      );
      assertEquals(sentFields(await readPage(app, path), form), given.sort(), path);
    }
  },
);

slowOnDatabases("A silence is of what the changelog shows", async (database) => {
  const noDay = { last_modified: null };
  const one = makeItem(1, noDay);
  const other = makeItem(2, { product_name: "Other", ...noDay });
  await importItems(database, [one, other, makeItem(3, noDay)], { asOf: "2026-06-20" });
  await importItems(database, [one, other], { asOf: "2026-06-25" });
  await importItems(database, [{ ...one, release_status: "Shipped" }, other], {
    asOf: "2026-07-19",
  });
  await using app = await startApp(database);
  doesNotMatch(await readPage(app, "/changelog"), /changes since/);
  for (const query of ["kind=removed", "include_inactive=false&kind=added", "product_name=Other"]) {
    const html = await readPage(app, `/changelog?${query}`);
    doesNotMatch(html, /No changes since/);
  }
  match(await readPage(app, "/changelog?kind=removed"), /No matching changes since <strong>/);
  app.setClock("2026-07-28T12:00:00Z");
  match(await readPage(app, "/changelog"), /No changes since <strong>/);
});

testOnOne("The only source needs no name on the insights", async (database) => {
  await importItems(database, [makeItem(1, { release_date: "Q2 2026" })], { asOf: "2026-03-01" });
  await importItems(database, [makeItem(1, { release_date: "Q2 2026" })], { asOf: "2026-07-10" });
  await using app = await startApp(database);
  match(await readPage(app, "/insights"), /Watched from 1 Mar 2026 to 10 Jul 2026\./);
  for (const asOf of ["2026-04-01", "2026-07-10"]) {
    await importItems(database, [makeItem(2)], { asOf, sourceName: "ours" });
  }
  await using later = await startApp(database);
  match(
    await readPage(later, "/insights"),
    /Watched default from 1 Mar 2026 to 10 Jul 2026; ours from 1 Apr 2026 to 10 Jul 2026\./,
  );
});

testOnOne(
  "A search without results names each filter that can be removed",
  async (database) => {
    await using app = await serve(database, [makeItem(1, { tags: { Area: ["Web"] } })]);
    const filters = {
      "product_name=None": "Product",
      "release_type=None": "Type",
      "release_status=None": "Status",
      "tag=Area:None": "Tags",
      "source=None": "Source",
      "due=overdue": "Date",
      "release_date_from=Q1+2030": "Date",
      "modified_within_days=1": "Changed within",
      "modified_since=2026-07-15": "Changed within",
    };
    for (const [query, name] of Object.entries(filters)) {
      match(
        await readPage(app, `/?${query}`),
        new RegExp(`Without the “${name}” filter: 1 release<`),
        query,
      );
    }
  },
);

testOnOne("The operator's bar marks the place of every page", async (database) => {
  await using app = await serve(database, [makeItem(1)], { ADMIN_TOKEN });
  const operator = await startOperator(app);
  const places = {
    "/admin": "Overview",
    "/admin/sources": "Sources, All sources",
    "/admin/source?name=default": "Sources, All sources",
    "/admin/email?kind=digest": "Emails",
    "/admin/emails": "Emails",
    "/admin/webhooks": "Webhooks",
  };
  for (const [path, name] of Object.entries(places)) {
    const html = await (await operator.get(path)).text();
    const nav = /<nav [^>]*aria-label="Administration">(.*?)<\/nav>/s.exec(html)![1]!;
    const marked = [...nav.matchAll(/aria-current="(?:page|true)">([^<]*)</g)].map(([, one]) =>
      one
    );
    assertEquals(marked.join(", "), name, path);
  }
});
