import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { marked } from "marked";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage } from "../support/pages.ts";

const ID = String(makeItem(1).release_item_id);

testOnDatabases("/release/<id>.md is the release page as Markdown", async (database) => {
  const item = makeItem(1, {
    feature_name: "Feature *one* &amp; [two](x)",
    feature_description: "# Why\n\n**Overview**<ul><li>Fast</li></ul>",
    blog_title: "The post",
    blog_url: "https://example.com/a post",
    tags: { Platform: ["Web", "iOS"] },
  });
  await importItems(database, [item], { asOf: "2026-07-05" });
  await importItems(database, [{ ...item, release_date: "Q4 2026", last_modified: "2026-07-10" }], {
    asOf: "2026-07-10",
  });
  await using app = await startApp(database);
  const response = await app.fetch(`/release/${ID}.md`);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "text/markdown; charset=utf-8");
  const page = `http://localhost:8000/release/${ID}`;
  assertEquals(response.headers.get("link"), `<${page}>; rel="canonical"`);
  assertEquals(
    await response.text(),
    `# Feature \\*one\\* & \\[two\\](x)

- Status: Planned
- Type: General availability
- Planned date: Q4 2026
- Product: Product
- Platform: Web, iOS
- Announcement: [The post](<https://example.com/a%20post>)
- Modified: 2026-07-10
- Page: <${page}>

## Description

### Why

**Overview**

- Fast

## History

- 2026-07-10: Release date moved later, from Q3 2026 to Q4 2026
- 2026-07-05: First seen

As JSON: <http://localhost:8000/api/releases?release_item_id=${ID}>, history: <http://localhost:8000/api/releases/history/${ID}>
`,
  );
  match(
    await readPage(app, `/release/${ID}`),
    new RegExp(`<link rel="alternate" type="text/markdown" href="/release/${ID}\\.md"`),
  );
});

testOnDatabases("No text of a source becomes markup in that document", async (database) => {
  await using app = await serve(database, [
    makeItem(1, {
      feature_name: "x\n## History\n- 2020-01-01: <script>alert(1)</script>",
      feature_description:
        "## History\n\n&lt;img src=x onerror=alert(1)&gt;<script>alert(2)</script>" +
        "[a](javascript:alert(3)) <a href='javascript:alert(4)'>b</a>",
      product_name: "<b>P</b>\n\n# P",
      blog_title: "](javascript:alert(5))",
      blog_url: "javascript:alert(6)",
    }),
    makeItem(2, { feature_description: null, release_date: null, blog_url: "https://e.x/><b>" }),
  ]);
  const text = await (await app.fetch(`/release/${ID}.md`)).text();
  const html = await marked.parse(text);
  assertEquals(html.match(/<h[1-6]>/g), ["<h1>", "<h2>", "<h3>", "<h2>"]);
  assertEquals(/<(script|img|b)\b|href="javascript/i.test(html), false);
  const other = await (await app.fetch(`/release/${ID.replace(/1$/, "2")}.md`)).text();
  match(other, /Planned date: none\n[^]*\(<https:\/\/e\.x\/%3E%3Cb%3E>\)[^]*No description yet\./);
});

testOnDatabases("Only releases with a page have a Markdown document", async (database) => {
  await importItems(database, [makeItem(1), makeItem(2), makeItem(3)]);
  await importItems(database, [makeItem(2), makeItem(3)], { asOf: "2026-07-21" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const removed = await (await app.fetch(`/release/${ID}.md`)).text();
  match(removed, /^- Removed from the roadmap: 2026-07-21$/m);
  match(removed, /^- 2026-07-21: Removed from the roadmap$/m);
  const statuses = ["/b", ""].map((site) => `${site}/release/${ID}.md`)
    .concat(`/release/${ID.replaceAll("0", "9")}.md`, "/release/abc.md", "/release/.md");
  const found = [];
  for (const path of statuses) found.push((await app.fetch(path)).status);
  assertEquals(found, [404, 200, 404, 400, 400]);
  const post = await app.fetch(`/release/${ID}.md`, { method: "POST" });
  assertEquals([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"]);
});

testOnDatabases("/llms.txt describes the site, and its links work", async (database) => {
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    SITE_NAME: "Acme [x](y)",
    MCP: "off",
  });
  for (const [site, precision] of [["", "quarters"], ["/b", "days"]]) {
    const response = await app.fetch(`${site}/llms.txt`);
    assertEquals(response.headers.get("content-type"), "text/plain; charset=utf-8");
    const text = await response.text();
    // llmstxt.org: a heading, a quote, paragraphs, then only lists of links under headings.
    match(
      text,
      /^# Acme \\\[x\\\]\(y\)\n\n> [^\n]+\n\n[^#]+(?:\n## [A-Z]\w+\n\n(?:- [^\n]+\n)+)+$/,
    );
    match(text, new RegExp(`Planned dates are ${precision}\\.`));
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, url]) => url!);
    ok(links.length >= 15);
    assertEquals([links.includes(`http://localhost:8000/changelog`), text.includes("/mcp")], [
      site === "",
      false,
    ]);
    for (const link of links) assertEquals([link, (await app.fetch(link)).status], [link, 200]);
  }
});
