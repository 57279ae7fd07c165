import { doesNotMatch, match } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { expectGolden, readPage, textOf } from "../support/pages.ts";

/** What becomes of each release, by the days of the imports; null: it is not there. */
type Fate = Readonly<Record<string, Record<string, unknown> | null>>;

const WORDS = "Some words that stay as they are. ".repeat(60);
const STREAMS = "Streams support large messages";
const FATES: readonly Fate[] = [
  { // Everything that a release may have
    "2026-02-01": {
      feature_name: "Feature &quot;one&quot;",
      feature_description: "**Overview**Enable &lt;b&gt;it&lt;/b&gt;.",
      blog_title: "The post",
      blog_url: "https://blog.example.com/post",
    },
    "2026-06-10": { release_date: "Q4 2026", release_status: "Shipped" },
  },
  { "2026-02-01": { release_date: "Q2 2026" } },
  { "2026-02-01": { release_date: null } },
  { "2026-07-01": { release_date: "2026-07-19" } },
  { "2026-07-01": { release_date: "2026-07-20" } },
  // Only what was still planned has a successor, of its own product.
  { "2026-02-01": { feature_name: STREAMS }, "2026-07-02": null },
  { "2026-02-01": { feature_name: "Large message support for streams" } },
  { "2026-02-01": { feature_name: "Large messages in streams", product_name: "Other" } },
  { "2026-02-01": { feature_name: STREAMS, release_status: "Shipped" }, "2026-07-02": null },
  { "2026-02-01": { feature_name: STREAMS, release_status: "Cancelled" }, "2026-07-02": null },
  { "2026-02-01": { product_name: "Maps", product_names: ["Maps", "Mail"] } },
  {
    "2026-02-01": { product_name: "Mail", feature_name: "Mail only", release_status: "Cancelled" },
  },
  { "2026-02-01": { product_name: "Chat", feature_name: "Chat only" } },
  { "2026-02-01": { blog_title: "The post", blog_url: "https://[/post" } },
  {
    "2026-02-01": {},
    "2026-03-01": { blog_title: "The post", blog_url: "https://example.com/a" },
    "2026-06-10": { blog_url: "https://example.com/b" },
  },
  {
    "2026-02-01": { release_date: "2026-06-10" },
    "2026-03-01": { release_date: "2026-06-20" },
    "2026-04-01": { release_date: null },
    "2026-05-01": { release_date: "Q1 2027" },
  },
  { "2026-02-01": { created: "2026-01-30" }, "2026-06-10": { release_date: "Q2 2026" } },
  {
    "2026-02-01": { feature_description: `${WORDS}Export to **CSV** & print.` },
    "2026-06-10": { feature_description: `${WORDS}Export to JSON & print.` },
  },
];

async function importFates(database: Database): Promise<void> {
  const days = [...new Set(FATES.flatMap((fate) => Object.keys(fate)))].sort();
  for (const day of days) {
    const items = FATES.flatMap((fate, place) => {
      const states = Object.keys(fate).filter((since) => since <= day).map((since) => fate[since]!);
      if (states.length === 0 || states.at(-1) === null) return [];
      return [makeItem(place + 1, Object.assign({ last_modified: null }, ...states))];
    });
    await importItems(database, items, { asOf: day, allowMassRemoval: true });
  }
}

const PAGES: Readonly<Record<string, string>> = {
  board: "/?view=board",
  changelog: "/changelog",
  insights: "/insights",
  follow: "/subscribe?product_name=Mail&release_status=Planned",
};

testOnDatabases("Pages say what their golden texts say", async (database) => {
  await importFates(database);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  for (const [name, path] of Object.entries(PAGES)) {
    await expectGolden(`pages/${name}.txt`, textOf(await readPage(app, path)));
  }
  const read = (place: number, site = "") =>
    readPage(app, `${site}/release/${makeItem(place).release_item_id}`);
  const releases = FATES.map(async (_, at) => {
    const [own, related] = textOf(await read(at + 1)).split("Related releases\n");
    return `== ${at + 1}\n${own}${at === 10 ? `Related releases\n${related}` : ""}`;
  });
  await expectGolden("pages/releases.txt", (await Promise.all(releases)).join("\n"));
  // The line of the moves has a gap while there is no date; only variant B shows days.
  const [, path] = /<path class="said" d="([^"]*)"/.exec(await read(16))!;
  match(path!, /^M[\d .]+H\d+L[\d .]+H\d+M[\d .]+H324$/);
  match(textOf(await read(16, "/b")), /^Moved 2 times: .* later than the original 10 Jun 2026$/m);
  match(await readPage(app, "/?view=board"), /Q3 2026<\/span> <span class="badge tone-now">now/);
  doesNotMatch(await read(2), /class="promise"/);
});
