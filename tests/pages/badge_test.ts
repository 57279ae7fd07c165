import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { XMLParser } from "fast-xml-parser";
import { XmlDocument } from "libxml2-wasm";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { slowOnOne } from "../support/slow.ts";

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "" });

/** Three releases that were promised for Q2 2026, of which the first two shipped in it. */
async function importPromises(database: Database): Promise<void> {
  const planned = ["R&D <x>", "R&D <x>", "Mail"].map((product_name, place) =>
    makeItem(place + 1, { product_name, release_date: "Q2 2026", last_modified: null })
  );
  await importItems(database, planned, { asOf: "2026-05-01" });
  const shipped = planned.map((item, place) =>
    place < 2 ? { ...item, release_status: "Shipped" } : item
  );
  await importItems(database, shipped, { asOf: "2026-06-30" });
  await importItems(database, shipped, { asOf: "2026-07-02" });
}

/** Fetches the badge at a path, and checks its label for screen readers and its text widths. */
async function readBadge(app: TestApp, path: string) {
  const response = await app.fetch(path);
  assertEquals([path, response.status], [path, 200]);
  assertEquals(response.headers.get("content-type"), "image/svg+xml; charset=utf-8");
  match(response.headers.get("content-security-policy")!, /^default-src 'none'; .*sandbox$/);
  const text = await response.text();
  XmlDocument.fromString(text).dispose();
  const { svg } = parser.parse(text);
  assertEquals([svg.role, svg["aria-label"]], ["img", svg.title]);
  const [label, value] = svg.g[1].text;
  assertEquals(`${label["#text"]}: ${value["#text"]}`, svg.title);
  const width = Number(svg.width);
  assertEquals(svg.g[0].rect.map((rect: { width: string }) => Number(rect.width)), [
    Number(value.x) - 6,
    width - Number(value.x) + 6,
  ]);
  ok(Number(value.x) + Number(value.textLength) < width);
  ok(Number(label.x) + Number(label.textLength) < Number(value.x));
  return { says: svg.title as string, response };
}

slowOnOne("The badge shows how many matching releases shipped on time", async (database) => {
  await importPromises(database);
  await using app = await startApp(database, { ROADMAP_VARIANT: "both", SITE_NAME: "Acme" });
  for (const site of ["", "/b"]) {
    for (
      const [query, about] of [["", "Acme"], ["?product_name=R%26D%20%3Cx%3E", "R&D <x>"], [
        "?product_name=Mail&release_status=Planned",
        "Mail, planned",
      ], ["?q=feature+3", "“feature 3”"]]
    ) {
      const { promises: { in_time, due } } = await app.json(`${site}/api/insights${query}`);
      ok(due > 0);
      const { says } = await readBadge(app, `${site}/badge.svg${query}`);
      assertEquals(says, `${about}: ${in_time} of ${due} on time`);
    }
  }
  assertEquals((await readBadge(app, "/badge.svg")).says, "Acme: 2 of 3 on time");
  const none = await readBadge(app, "/badge.svg?product_name=日本語 😀 " + "w".repeat(60));
  assertEquals(none.says, `日本語 😀 ${"w".repeat(34)}…: no figures yet`);
});

testOnOne("The badge is cached, and refuses an invalid filter", async (database) => {
  await importPromises(database);
  await using app = await startApp(database);
  const { response } = await readBadge(app, "/badge.svg");
  match(response.headers.get("cache-control")!, /^public, max-age=\d+/);
  const headers = { "If-None-Match": response.headers.get("etag")! };
  assertEquals((await app.fetch("/badge.svg", { headers })).status, 304);
  const wrong = await app.fetch("/badge.svg?release_date_from=soon");
  assertEquals(wrong.status, 400);
  assertEquals((await wrong.json()).errors[0].name, "release_date_from");
});
