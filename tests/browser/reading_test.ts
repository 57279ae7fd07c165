import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findBarriers, shareSite } from "../support/browser.ts";

const site = shareSite();
const { test, openPage } = site;
const LISTS = ["/", "/?q=sync", "/?view=board", "/changelog", "/compare"];
const PAGES = [...LISTS, "/insights", "/subscribe", "/api"];

let releasePath: string;
Deno.test.beforeAll(async () => {
  const { data } = await (await fetch(`${site.url}/api/releases?page_size=1`)).json();
  releasePath = `/release/${data[0].release_item_id}`;
});

/** By how many pixels a page is wider than its window. */
function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** A release, or a timeline cell, which opens its releases. */
const FOCUSED_RESULT = 'main :is(a[href*="/release/"], .timeline-view summary):focus';

test("The first tab stop of each list skips to its results, which are few stops away", async () => {
  for (const width of [1280, 360]) {
    const { page, faults, close } = await openPage({ viewport: { width, height: 800 } });
    for (const path of LISTS) {
      await page.goto(path, { waitUntil: "networkidle" });
      await page.keyboard.press("Tab");
      assertEquals(await page.locator(":focus").innerText(), "Skip to results", path);
      await page.keyboard.press("Enter");
      let stops = 1;
      while (await page.locator(FOCUSED_RESULT).count() === 0) {
        await page.keyboard.press("Tab");
        ok(++stops <= 12, `${path}: no result within 12 stops`);
      }
    }
    assertEquals(faults, []);
    await close();
  }
});

test("At 400 % zoom every page is one column, and no bar hides content", async () => {
  // 1280 × 1024 pixels (WCAG 2.2, 1.4.10)
  const { page, faults, close } = await openPage({ viewport: { width: 320, height: 256 } });
  for (const path of [...PAGES, releasePath]) {
    await page.goto(path, { waitUntil: "networkidle" });
    ok(await measureOverflow(page) <= 0, `${path} is too wide`);
    await page.mouse.wheel(0, 300);
    const hidden = await page.evaluate(() =>
      [...document.querySelectorAll("body *")].filter((element) =>
        getComputedStyle(element).position === "fixed" && element.checkVisibility()
      ).map((element) => element.className || element.tagName)
    );
    assertEquals(hidden, [], path);
  }
  assertEquals(faults, []);
  await close();
});

for (const [name, width] of [["portrait", 718], ["landscape", 1047]] as const) {
  test(`Printed pages have no controls, and fit the width of the sheet (${name})`, async (page) => {
    await page.emulateMedia({ media: "print" });
    for (const path of [...LISTS, "/insights", releasePath]) {
      await page.goto(path, { waitUntil: "networkidle" });
      ok(await measureOverflow(page) <= 0, `${path} is too wide`);
      const shown = await page.evaluate(() => {
        const controls = "header nav, main :is(button, input, select, textarea, nav)";
        return [...document.querySelectorAll(controls)]
          .filter((element) => element.checkVisibility({ visibilityProperty: true }))
          .filter((element) => element.getBoundingClientRect().height > 1)
          .map((element) => element.outerHTML.slice(0, 80));
      });
      assertEquals(shown, [], path);
      const heading = await page.locator("h1").boundingBox();
      ok(heading!.x < 20, `${path} begins ${heading!.x} px from the edge`);
    }
  }, { viewport: { width, height: 900 } });
}

test("With forced colours, outlines or borders replace backgrounds", async (page) => {
  for (const path of [...PAGES, releasePath]) {
    await page.goto(path, { waitUntil: "networkidle" });
    assertEquals(await findBarriers(page), [], path);
    const without = await page.evaluate(() =>
      [...document.querySelectorAll("[aria-current], [aria-pressed='true'], .badge")]
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const { outlineStyle, borderTopStyle } = getComputedStyle(element);
          return outlineStyle === "none" && borderTopStyle === "none";
        }).map((element) => element.outerHTML.slice(0, 80))
    );
    assertEquals(without, [], path);
  }
}, { forcedColors: "active" });
