import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { findBarriers, shareSite, startSampleServer } from "../support/browser.ts";

const UNBROKEN = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamten".repeat(2);
const FLAG =
  "feature_flag_enable_extended_predictive_capacity_planning_for_all_regions_and_tenants";
const HEBREW = "חיפוש סמנטי במסמכים (גרסה 2)";
const ARABIC = "البحث الدلالي في المستندات: الإصدار 2";
const NAMES = [UNBROKEN, FLAG, HEBREW, ARABIC, `${HEBREW} and ${ARABIC}`, "a ".repeat(200).trim()];

const { test } = shareSite(() =>
  startSampleServer(
    {},
    NAMES.flatMap((name, place) =>
      [1, 2, 3].map((number) =>
        makeItem(10 * place + number, {
          feature_name: name,
          product_name: NAMES[(place + number) % NAMES.length]!.slice(0, 150),
          release_type: name.slice(0, 60),
          feature_description: name.repeat(3),
          tags: { [`Group ${place}`]: [name.slice(0, 80)] },
        })
      )
    ),
  )
);

for (const width of [320, 1280]) {
  test(`Long and right-to-left names fit every page (${width} px)`, async (page) => {
    // Each name is the product of one of these.
    const releases = NAMES.map((_, place) =>
      `/release/${makeItem(10 * place + 1).release_item_id}`
    );
    const paths = [
      "/",
      "/?view=board",
      "/?view=board&group=status",
      "/changelog",
      "/compare",
      "/insights",
    ];
    for (const path of [...paths, ...releases, "/subscribe", "/copy", "/api"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(tooWide <= 0, `${path} is ${tooWide} px too wide`);
      assertEquals(await findBarriers(page), [], path);
      const small = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>(
          "input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea",
        )].filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16).map((field) =>
          field.id
        )
      );
      if (width === 320) assertEquals(small, [], `${path}: Safari on iOS zooms into these`);
    }
    await page.goto("/");
    const directions = await page.evaluate(() =>
      [...document.querySelectorAll('main a[href*="/release/"] bdi')].map((name) => [
        getComputedStyle(name).direction,
        /^\p{Script=Hebrew}|^\p{Script=Arabic}/u.test(name.textContent!) ? "rtl" : "ltr",
      ])
    );
    ok(directions.length >= 10);
    for (const [direction, expected] of directions) assertEquals(direction, expected);
  }, { viewport: { width, height: 800 } });
}
