import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { startDigests } from "../support/subjects/digests.ts";
import { toolRequest } from "../support/subjects/tool_request.ts";
import { importItems, makeItem, startApp, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const ID = makeItem(1).release_item_id as string;

/** One of two products with tags, others with less. */
const ITEMS = [
  makeItem(1, {
    product_name: "Word",
    product_names: ["Word", "R&D"],
    tags: { "Release ring": ["Preview"], "Platform": ["Web", "iOS"] },
  }),
  makeItem(2, { product_name: "Word", tags: { "Platform": ["Mac"] } }),
  makeItem(3, { product_name: "Outlook" }),
];

testOnDatabases("Feeds and the calendar have products and tags as categories", async (database) => {
  await using app = await startApp(database);
  await importItems(database, ITEMS);
  const { release_type, release_status } = ITEMS[0]!;
  const categories = ["Word", "R&D", release_type, release_status, "Web", "iOS", "Preview"];
  const { items } = await app.json("/feed.json?tag=Platform:iOS");
  assertEquals(items.map(({ tags }: { tags: string[] }) => tags), [categories]);
  const rss = await (await app.fetch("/rss.xml?product_name=R%26D")).text();
  for (const one of ["Word", "R&amp;D", "iOS"]) {
    assert(rss.includes(`<category>${one}</category>`), one);
  }
  const atom = await (await app.fetch("/atom.xml?product_name=R%26D")).text();
  match(atom, /<category term="iOS"/);
  const calendar = await (await app.fetch("/calendar.ics?tag=Platform:iOS")).text();
  const lines = calendar.replaceAll("\r\n ", "").split("\r\n");
  assert(lines.includes(`CATEGORIES:${categories.join(",")}`), calendar);
  assert(lines.includes("SUMMARY:Feature 1 (Word\\, R&D)"), calendar);
  assertEquals(calendar.match(/BEGIN:VEVENT/g)!.length, 1);
});

testOnDatabases("Pages link products and tags to the filtered roadmap", async (database) => {
  await using app = await startApp(database);
  await importItems(database, ITEMS);
  const read = async (path: string) => await (await app.fetch(path)).text();
  const release = await read(`/release/${ID}`);
  for (
    const query of ["product_name=R%26D", "tag=Platform%3AWeb", "tag=Release%20ring%3APreview"]
  ) {
    assert(
      release.includes(
        `${query.startsWith("tag") ? "<dd>" : "<li>"}<a rel="nofollow" href="/?${query}">`,
      ),
      query,
    );
  }
  assert(!(await read(`/release/${ID.slice(0, -1)}3`)).includes("<dd>"));
  const roadmap = await read("/?tag=Platform:iOS&tag=Platform:Web");
  match(roadmap, /Word<\/bdi><\/a><\/span><span>, <a[^>]*><bdi>R&amp;D/);
  assert(!roadmap.includes("Feature 2"));
  assert(/<input type="checkbox" name="tag" value="Platform:Mac"\/>/.test(roadmap), roadmap);
  match(roadmap, /<title>Web or iOS/);
  match(await read("/changelog?tag=Platform:Mac"), /Feature 2/);
});

testOnDatabases("Assistants can filter by tags, and see them", async (database) => {
  await using app = await startApp(database);
  await importItems(database, ITEMS);
  const call = async (name: string, args = {}) => {
    const response = await app.fetch("/mcp", toolRequest(name, args));
    const [, data] = /^data: (.*)$/m.exec(await response.text())!;
    return JSON.parse(data!).result;
  };
  const options = await call("list_filter_options");
  const values = ["Platform:Mac", "Platform:Web", "Platform:iOS", "Release ring:Preview"];
  assertEquals(options.structuredContent.tags, { values, more: 0 });
  for (const tool of ["search_releases", "list_changes"]) {
    const { structuredContent, content } = await call(tool, { tag: ["Platform:iOS"] });
    assertEquals(structuredContent?.releases.length, 1, content[0].text);
    match(
      content[0].text,
      /Feature 1 \(Word, R&D\): .*, Platform: Web, iOS, Release ring: Preview/,
    );
  }
  const { structuredContent: { release } } = await call("get_release", { release_item_id: ID });
  assertEquals(release.product_names, ["Word", "R&D"]);
  assertEquals(release.tags, { "Platform": ["Web", "iOS"], "Release ring": ["Preview"] });
});

testOnDatabases("All products and tags are searched by words", async (database) => {
  await using app = await startApp(database);
  await importItems(database, ITEMS, { asOf: "2026-07-10" });
  await importItems(database, ITEMS.map((item) => ({ ...item, tags: {}, product_names: null })));
  const find = async (q: string, day: string) => {
    const query = new URLSearchParams({ q, match: "words", as_of: day });
    return (await app.json(`/api/releases?${query}`)).pagination.total_items;
  };
  const found = await Promise.all(["R&D", "ios", "mac"].map((q) => find(q, "2026-07-10")));
  assertEquals(found, [1, 1, 1]);
  assertEquals([await find("ios", TODAY), await find("mac", TODAY)], [0, 0]);
});

testOnDatabases("Tags of a request to subscribe are checked", async (database) => {
  await using services = await startDigests(database);
  await importItems(database, ITEMS);
  const ask = (fields: Record<string, unknown>) =>
    services.app.fetch("/api/subscribe", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "a@example.com", ...fields }),
    });
  const { unknown } = await (await ask({ tag: ["Platform:Web", "Platform:Amiga"] })).json();
  assertEquals(unknown, { tags: ["Platform:Amiga"] });
  for (const tag of ["Web", ":Web", "Platform:"]) {
    const response = await ask({ tag });
    assertEquals(response.status, 400, tag);
    match((await response.json()).detail, /tags must have tags as Group:Value/);
  }
});
