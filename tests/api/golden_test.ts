import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { expectGolden } from "../support/pages.ts";

const ID = makeItem(1).release_item_id;

/** Name of a golden file, and the address below a site that it was answered at. */
const ADDRESSES: Readonly<Record<string, string>> = {
  "releases.json": "/api/releases?page_size=3&page=1",
  "releases_search.json": "/api/releases?q=%C3%84&sort=release_date&include_inactive=true",
  "release.json": `/api/releases?release_item_id=${ID}`,
  "history.json": `/api/releases/history/${ID}`,
  "filter_options.json": "/api/filter-options",
  "rss.xml": "/rss.xml?limit=4",
  "atom.xml": "/atom.xml?limit=4&product_name=Product",
  "feed.json": "/feed.json?limit=4",
  "calendar.ics": "/calendar.ics?limit=5",
};

async function importGolden(database: Database): Promise<void> {
  const first = [
    makeItem(1, { feature_name: "Sign-in with passkeys", blog_title: null }),
    makeItem(2, { feature_name: 'Ämter & <b>"Quotes"</b>', product_name: "Ünï, R&D" }),
    makeItem(3, { release_date: null, product_id: null, feature_description: null }),
    makeItem(4, {
      release_type: "Public preview",
      feature_description: "Line\nbreak &quot;x&quot; 😀",
    }),
    makeItem(5, { feature_name: "Änderung, removed" }),
    makeItem(6),
  ];
  await importItems(database, first, { asOf: "2026-07-01" });
  const second = first.filter((_, index) => index !== 4).map((item, index) =>
    index === 0
      ? {
        ...item,
        release_status: "Shipped",
        release_date: "2026-12-01",
        blog_title: "Passkeys are here",
        blog_url: "https://example.com/blog?a=1&b=2",
        last_modified: "2026-07-14",
      }
      : item
  );
  await importItems(database, second, { asOf: "2026-07-15" });
  const third = [...second, first[4]];
  await importItems(database, third, { asOf: "2026-07-17" });
  await importItems(database, second, { asOf: "2026-07-18" });
}

testOnDatabases("Responses are byte for byte those of the golden files", async (database) => {
  await importGolden(database);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const addresses = [
    ...Object.entries(ADDRESSES).map(([file, path]) => [`a/${file}`, path]),
    ["a/changelog.json", "/api/changelog"],
    ...Object.entries(ADDRESSES).map(([file, path]) => [`b/${file}`, `/b${path}`]),
  ];
  for (const [file, path] of addresses) {
    const response = await app.fetch(path!);
    assertEquals([path, response.status], [path, 200]);
    await expectGolden(file!, await response.text());
  }
});
