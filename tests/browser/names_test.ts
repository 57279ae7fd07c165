import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { findBarriers, shareSite, startSampleServer } from "../support/browser.ts";

const UNBROKEN = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamten".repeat(2);
const HEBREW = "חיפוש סמנטי במסמכים (גרסה 2)";
const ARABIC = "البحث الدلالي في المستندات: الإصدار 2";
const NAMES = [UNBROKEN, HEBREW, ARABIC, `${HEBREW} and ${ARABIC}`, "a ".repeat(200).trim()];

const { test, openPage } = shareSite(() =>
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
  test(`Long and right-to-left names fit every page (${width} px)`, async () => {
    const { page, faults, close } = await openPage({ viewport: { width, height: 800 } });
    const id = String(makeItem(11).release_item_id);
    const paths = [
      "/",
      "/?view=board",
      "/?view=board&group=status",
      "/changelog",
      "/compare",
      "/insights",
    ];
    for (const path of [...paths, `/release/${id}`, "/subscribe", "/api"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(tooWide <= 0, `${path} is ${tooWide} px too wide`);
      assertEquals(await findBarriers(page), [], path);
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
    assertEquals(faults, []);
    await close();
  });
}
