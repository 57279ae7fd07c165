import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { addQuarters, formatQuarter, isoDate } from "../../lib/text/dates.ts";
import { makeItem } from "../support/app.ts";
import {
  chooseFilter,
  findBarriers,
  LOOKS,
  shareSite,
  startSampleServer,
} from "../support/browser.ts";

const NOW = formatQuarter(isoDate(new Date()));
const [LAST, NEXT, LONG_PAST] = [-1, 1, -12].map((count) => addQuarters(NOW, count));

/** The number of releases of each quarter, which rotate through three products. */
const QUARTERS: readonly (readonly [quarter: string | null, count: number])[] = [
  [NOW, 25],
  [NEXT!, 3],
  [LAST!, 12],
  [LONG_PAST!, 4],
  [null, 14],
];

const ITEMS = QUARTERS.flatMap(([release_date, count], place) =>
  Array.from({ length: count }, (_, index) =>
    makeItem(place * 100 + index, {
      release_date,
      product_name: `Product ${index % 3}`,
      release_status: index % 2 === 0 ? "Planned" : "Shipped",
    }))
);

const { test, openPage } = shareSite(() => startSampleServer({}, ITEMS));

const SCRIPTS = [true, false];

/** The visible columns of a board: name and count. */
function columnsOf(page: Page): Promise<string[]> {
  return page.locator(".column h3:visible").evaluateAll((headings) =>
    headings.map((heading) => heading.textContent!.replace("now ", "").replace(/\s+/g, " ").trim())
  );
}

test("A board shows a sliding window of quarters, and links to what it does not show", async () => {
  for (const javaScriptEnabled of SCRIPTS) {
    const { page, faults, close } = await openPage({ javaScriptEnabled });
    await page.goto("/?view=board");
    match(await page.title(), /^Board · /);
    const quarters = (first: number) =>
      Array.from({ length: 2 - first }, (_, place) => addQuarters(NOW, first + place));
    const shown = (await columnsOf(page)).map((column) => column.replace(/ \d+$/, ""));
    assertEquals(shown, quarters(-1));
    assertEquals((await columnsOf(page)).slice(0, 3), [`${LAST} 12`, `${NOW} 25`, `${NEXT} 3`]);
    const last = page.locator(".column").nth(0);
    assertEquals(await last.locator("h4").allTextContents(), ["overdue", "shipped"]);
    assertEquals(await last.locator("li").count(), 8);
    await last.getByRole("link", { name: /^2 more ?, overdue/ }).click();
    await page.getByText("6 releases", { exact: true }).first().waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "‹ Earlier" }).click();
    await page.waitForURL((url) => url.searchParams.get("from") === addQuarters(NOW, -2));
    await page.locator(".column h3", { hasText: quarters(-2)[0]! }).waitFor();
    assertEquals(
      (await columnsOf(page)).map((column) => column.replace(/ \d+$/, "")),
      quarters(-2),
    );
    assertEquals(faults, []);
    await close();
  }
});

test("A board by status has its stages as columns, and undated releases are listed", async () => {
  for (const javaScriptEnabled of SCRIPTS) {
    const { page, faults, close } = await openPage({ javaScriptEnabled });
    await page.goto("/?view=board");
    await page.locator(".menu.choice summary").click();
    await page.getByRole("link", { name: "By status", exact: true }).click();
    await page.waitForURL(/group=status/);
    await page.locator(".column h3", { hasText: "Planned" }).waitFor();
    assertEquals(await columnsOf(page), ["Planned 30", "Shipped 28"]);
    await page.locator(".menu.choice summary").click();
    await page.getByRole("link", { name: "By quarter", exact: true }).click();
    await page.getByRole("link", { name: "14 releases without a date" }).click();
    await page.waitForURL(/sort=release_date/);
    await page.locator(".release-row").first().waitFor();
    const dates = await page.locator(".release-row .row-date").allInnerTexts();
    match(dates.at(-1)!, /No date/);
    assertEquals(faults, []);
    await close();
  }
});

test("The chart follows the filter, and selects and clears a quarter", async () => {
  for (const javaScriptEnabled of SCRIPTS) {
    const { page, faults, close } = await openPage({
      javaScriptEnabled,
      viewport: { width: 1280, height: 900 },
    });
    await page.goto("/");
    const dates = page.locator(".facet", { has: page.locator("summary", { hasText: "Date" }) });
    const openDates = async () => {
      const menu = dates.locator("> details");
      if (await menu.getAttribute("open") === null) await menu.locator("> summary").click();
    };
    await openDates();
    const bar = (name: string) => page.locator(".chart").getByRole("link", { name });
    await bar(`${NOW}: 12 shipped, 13 planned`).waitFor();
    await bar(NOW).click();
    await page.waitForURL((url) => url.searchParams.get("release_date_from") === NOW);
    await page.getByText("25 releases", { exact: true }).first().waitFor();
    assertEquals(await dates.locator("summary strong").first().textContent(), `planned for ${NOW}`);
    await openDates();
    assertEquals(await bar(NOW).getAttribute("aria-current"), "true");
    await chooseFilter(page, "Status", "Shipped");
    if (!javaScriptEnabled) await page.getByRole("button", { name: /^Show/ }).click();
    await page.waitForURL(/release_status=Shipped/);
    await openDates();
    await bar(`${NOW}: 12 shipped, 0 planned`).waitFor();
    await bar(`${NEXT}: 1 shipped, 0 planned`).waitFor();
    await bar(NOW).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/?release_status=Shipped");
    assertEquals(faults, []);
    await close();
  }
});

test("The search and the filters are in the same place in every view", async (page) => {
  const places: number[][] = [];
  for (const view of ["", "?view=board"]) {
    await page.goto(`/${view}`, { waitUntil: "networkidle" });
    const status = page.locator(".facet summary", { hasText: "Status" });
    for (const place of [page.getByLabel("Search releases"), status]) {
      const { x, y } = (await place.boundingBox())!;
      places.push([Math.round(x), Math.round(y)]);
    }
  }
  assertEquals(places.slice(2), places.slice(0, 2));
}, { viewport: { width: 1280, height: 900 } });

test("A board follows the search as you type, and the back button", async (page) => {
  await page.goto("/?view=board");
  await page.getByLabel("Search releases").pressSequentially("feature 24");
  await page.waitForURL("**/?q=feature+24&view=board");
  await page.locator('.results[aria-busy="false"]').waitFor();
  assertEquals((await columnsOf(page)).filter((column) => !column.endsWith(" 0")), [`${NOW} 1`]);
  await page.getByRole("link", { name: "List", exact: true }).click();
  await page.locator(".release-row").waitFor();
  await page.goBack();
  await page.locator(".column").first().waitFor();
  assertEquals((await columnsOf(page)).filter((column) => !column.endsWith(" 0")), [`${NOW} 1`]);
});

for (const { name, options } of LOOKS) {
  test(`Views by quarter are accessible and fit, with filters open (${name})`, async (page) => {
    for (const path of ["/?view=board", "/?view=board&group=status"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const fold = page.locator(".fold > summary");
      if (await fold.isVisible()) await fold.click();
      await page.locator(".facet summary", { hasText: "Status" }).click();
      assertEquals(await findBarriers(page), [], path);
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(tooWide <= 0, `${path} is ${tooWide} px too wide`);
    }
  }, options);
}
