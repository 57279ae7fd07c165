import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { toolRequest } from "../support/subjects/tool_request.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { readPage } from "../support/pages.ts";

/** Shown as it stands, this ends in "exe.png". */
const NAME = "\u202egnp.exe\u202c & \u2067דרך\u2069 \u200fABC\u200e";
const ITEM = makeItem(1, {
  feature_name: NAME,
  product_name: "מוצר\u202e (RTL) 2027",
  release_type: "\u2066Preview\u2069",
  release_status: "\u202dShipped\u202c",
  release_date: "Q2 2026",
  tags: { "Grp\u2069\u202eevil": ["v\u202eend"] },
  blog_title: "\u202eBlog",
  blog_url: "https://example.com/post",
});
const SHOWN = "gnp.exe & דרך ABC";
const CONTROLS = /\p{Bidi_Control}/u;

/** Imports the release, and then one change of each of its names. */
async function importTwice(
  database: Parameters<typeof importItems>[0],
  others: (typeof ITEM)[] = [],
): Promise<void> {
  await importItems(database, [{ ...ITEM, release_status: "\u202ePlanned" }, ...others], {
    asOf: "2026-07-10",
  });
  await importItems(database, [{ ...ITEM, last_modified: "2026-07-15" }, ...others]);
}

/** What a page shows: without what its forms send, and what its scripts begin with. */
function shownOn(html: string): string {
  return html.replace(/ value="[^"]*"/g, "")
    .replace(/<script id="props-[^>]*>.*?<\/script>/gs, "");
}

testOnDatabases("No name changes the text direction around it", async (database) => {
  // A form offers products where there are two.
  await importTwice(database, [makeItem(2, { product_name: "Another" })]);
  await using app = await startApp(database, {
    ROADMAP_VARIANT: "both",
    EMBED_ORIGINS: "https://a.example",
  });
  const id = ITEM.release_item_id;
  const product = encodeURIComponent(String(ITEM.product_name));
  const pages = ["/", "/?view=board&release_date_from=Q2+2026", `/release/${id}`, "/changelog"];
  for (const path of [...pages, "/b/", `/b/release/${id}`]) {
    const html = await readPage(app, path);
    match(html, /<bdi>gnp\.exe &amp; דרך ABC<\/bdi>/);
    assert(!CONTROLS.test(shownOn(html)), path);
  }
  const others = [`/?product_name=${product}`, "/?view=board&release_date_from=Q2+2026"];
  for (const path of [...others, "/insights", "/subscribe", `/subscribe?product_name=${product}`]) {
    const html = await readPage(app, path);
    match(html, /<bdi>מוצר \(RTL\) 2027<\/bdi>/);
    assert(!CONTROLS.test(shownOn(html)), path);
  }
  const tag = encodeURIComponent("Grp\u2069\u202eevil:v\u202eend");
  const everywhere = [
    ...["/", "/?view=board", "/changelog", "/changelog/2026-07-15", "/insights", "/subscribe"],
    ...["/compare?from=2026-07-09&to=2026-07-20", "/copy", "/embed", "/release/" + id],
    "/subscribe/preview",
  ];
  for (const path of everywhere) {
    for (
      const filter of [
        "",
        `tag=${tag}`,
        `release_status=${encodeURIComponent("\u202dShipped\u202c")}`,
      ]
    ) {
      const address = filter === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${filter}`;
      const shown = shownOn(await (await app.fetch(address)).text());
      const [around] = /.{0,80}\p{Bidi_Control}.{0,40}/u.exec(shown) ?? [];
      assertEquals([address, around], [address, undefined]);
    }
  }
  const title = /<title>(.*?) · Roadcast<\/title>/.exec(await readPage(app, `/release/${id}`));
  assertEquals(title![1]!.replace("&amp;", "&"), SHOWN);
  for (const format of ["rss.xml", "atom.xml", "feed.json", "calendar.ics"]) {
    const text = await (await app.fetch(`/${format}?product_name=${product}`)).text();
    assert(text.includes("gnp.exe"), format);
    assert(!CONTROLS.test(text), format);
  }
});

testOnDatabases("Programs get names unchanged", async (database) => {
  await importTwice(database);
  await using app = await startApp(database);
  const { data: [{ feature_name, product_name }] } = await app.json("/api/releases");
  assertEquals([feature_name, product_name], [NAME, ITEM.product_name]);
  const { product_names } = await app.json("/api/filter-options");
  assertEquals(product_names, [ITEM.product_name]);
});

testOnDatabases("Assistants get clean names, and filters that match", async (database) => {
  await importTwice(database);
  await using app = await startApp(database);
  const call = async (name: string, args: object = {}) => {
    const response = await app.fetch("/mcp", toolRequest(name, args));
    return JSON.parse(/^data: (.*)$/m.exec(await response.text())![1]!).result;
  };
  const calls = [
    await call("search_releases", { product_name: [ITEM.product_name] }),
    await call("list_changes"),
    await call("get_release", { release_item_id: ITEM.release_item_id }),
  ];
  for (const { content: [{ text }], structuredContent } of calls) {
    assert(text.includes(SHOWN), text);
    assert(!CONTROLS.test(text), text);
    const { releases, release = releases[0] } = structuredContent;
    assertEquals([release.feature_name, release.product_name], [SHOWN, ITEM.product_name]);
  }
});

testOnDatabases("An email isolates the text direction of each name", async (database) => {
  await using services = await startDigests(database);
  await services.verify("ann@example.com");
  await importTwice(database);
  const [mail] = await services.digest();
  assert(!CONTROLS.test(mail!.html! + mail!.text! + mail!.subject));
  match(mail!.html!, /<a href="[^"]*" dir="auto" [^>]*>gnp\.exe &amp; דרך ABC<\/a>/);
  match(mail!.html!, /<div dir="auto" [^>]*>מוצר \(RTL\) 2027 · Shipped/);
});
