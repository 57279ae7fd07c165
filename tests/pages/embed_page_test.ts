import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { releasesIn } from "../support/pages.ts";

const EMBED_ORIGINS = "https://Example.com http://localhost:3000/";

async function readEmbed(app: TestApp, path: string): Promise<string> {
  const response = await app.fetch(path);
  assertEquals([path, response.status], [path, 200]);
  return await response.text();
}

testOnOne(
  "The embedded list has a filter, a theme, and links that open in new tabs",
  async (database) => {
    const items = Array.from(
      { length: 60 },
      (_, place) => makeItem(place + 1, { product_name: place < 2 ? "R&D <x>" : "Mail" }),
    );
    items[1] = { ...items[1], release_date: null };
    await importItems(database, items);
    const settings = {
      EMBED_ORIGINS,
      ROADMAP_VARIANT: "both",
      BASE_URL: "https://acme.example/map",
    };
    await using app = await startApp(database, { ...settings, SITE_NAME: "Acme" });
    for (const site of ["/map", "/map/b"]) {
      const part = await readEmbed(app, `${site}/embed?product_name=R%26D%20%3Cx%3E&view=board`);
      assertEquals(releasesIn(part.replaceAll(/ target="_blank" rel="noopener"/g, "")), [
        "Feature 1",
        "Feature 2",
      ]);
      match(part, /<title>R&amp;D &lt;x> · Acme<\/title>/);
      match(part, /2 releases .*>View on Acme</);
      match(part, new RegExp(`href="${site}/\\?product_name=R%26D\\+%3Cx%3E"`));
      match(part, /<h2>(Q3 2026|No date)<\/h2>/);
      const links = [...part.matchAll(/<a [^>]*>/g)].map(([tag]) => tag);
      assertEquals(links.filter((tag) => !tag.endsWith(' target="_blank" rel="noopener">')), []);
      assertEquals(links.length, 3);
      doesNotMatch(part, /<(form|button|input|select|header|footer|nav|base)\b/);
      const all = await readEmbed(app, `${site}/embed?sort=last_modified&page=2&theme=dark`);
      match(all, /<html lang="en" data-theme="dark">.*60 releases .*>View all on Acme</);
      assertEquals(all.match(/class="release-row"/g)?.length, 50);
      match(all, /<h2 class="visually-hidden">Releases<\/h2>/);
      const found = await readEmbed(app, `${site}/embed?q="feature 7"&theme=light`);
      match(found, /data-theme="light".*<mark>/);
      match(
        await readEmbed(app, `${site}/embed?product_name=None`),
        /No releases match\. .*View on/,
      );
    }
  },
);

testOnOne(
  "Only listed origins may frame the embedded list, which sets no cookie",
  async (database) => {
    await using app = await serve(database, [makeItem(1)], { EMBED_ORIGINS });
    const response = await app.fetch("/embed");
    const policy = response.headers.get("content-security-policy")!;
    match(
      policy,
      /^default-src 'none'; .*form-action 'none'; base-uri 'none'; frame-ancestors \S+ \S+$/,
    );
    match(policy, /frame-ancestors https:\/\/example\.com http:\/\/localhost:3000$/);
    assertEquals(response.headers.get("x-frame-options"), null);
    assertEquals(response.headers.get("set-cookie"), null);
    const html = await response.text();
    match(
      html,
      /<body class="embed" data-origins="https:\/\/example\.com http:\/\/localhost:3000">/,
    );
    match(html, /<meta name="robots" content="noindex"\/?>/);
    const headers = { "If-None-Match": response.headers.get("etag")! };
    assertEquals((await app.fetch("/embed", { headers })).status, 304);
    await using changed = await startApp(database, { EMBED_ORIGINS: "https://other.example" });
    const policyNow = (await changed.fetch("/embed")).headers.get("content-security-policy")!;
    match(policyNow, /frame-ancestors https:\/\/other\.example$/);
    for (const path of ["/", "/subscribe", "/embed?theme=blue", "/embed?due=soon"]) {
      const other = (await app.fetch(path)).headers.get("content-security-policy")!;
      match(other, /frame-ancestors 'none'$/);
    }
  },
);

testOnOne(
  "An invalid theme or filter is reported; without origins there is no embedded list",
  async (database) => {
    await using app = await startApp(database, { EMBED_ORIGINS });
    for (
      const [query, error] of [["theme=blue", /theme must be light or dark\./], [
        "release_date_from=soon",
        /Use a date such as 2026-01-31, or a quarter such as Q3 2026\./,
      ]] as const
    ) {
      const wrong = await app.fetch(`/embed?${query}`);
      assertEquals(wrong.status, 400);
      match(await wrong.text(), error);
    }
    await using closed = await startApp(database);
    for (const path of ["/embed", "/embed?theme=dark"]) {
      assertEquals((await closed.fetch(path)).status, 404);
    }
  },
);
