import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { chooseFilter, delayScript, findBarriers, shareSite } from "../support/browser.ts";

const site = shareSite();
const { test, openPage } = site;

const SETTLED = '.results[aria-busy="false"]';

/** The names of the releases that the API returns for a query. */
async function namesAt(query: string): Promise<string[]> {
  const { data } = await (await fetch(`${site.url}/api/releases?page_size=200&${query}`)).json();
  return data.map(({ feature_name }: { feature_name: string }) => feature_name);
}

/** The names of the releases that the page lists. */
function namesIn(page: Page): Promise<string[]> {
  return page.locator(".release-row h3").allInnerTexts();
}

/** The count beside a value of a filter list. */
async function countBeside(page: Page, value: string): Promise<number> {
  const label = page.locator(".facet .check", { has: page.locator(`input[value="${value}"]`) });
  return Number(await label.locator(".quiet").textContent());
}

async function options(): Promise<Record<string, string[]>> {
  return await (await fetch(`${site.url}/api/filter-options`)).json();
}

/** What the buttons of the filters say is chosen. */
function chosenIn(page: Page): Promise<string[]> {
  return page.locator(".facet:has(.take-off) summary strong").allTextContents();
}

test("Several values combine, and the counts of the others follow", async (page) => {
  const [first, second] = (await options()).product_names!;
  await page.goto("/");
  await chooseFilter(page, "Product", first!);
  await page.waitForURL((url) => url.searchParams.getAll("product_name").length === 1);
  await page.locator(SETTLED).waitFor();
  const other = await countBeside(page, second!);
  await chooseFilter(page, "Product", second!);
  await chooseFilter(page, "Status", "Planned");
  await chooseFilter(page, "Status", "Shipped");
  await page.waitForURL((url) => url.searchParams.getAll("release_status").length === 2);
  await page.locator(SETTLED).waitFor();
  const query = new URL(page.url()).search.slice(1);
  assertEquals((await namesIn(page)).toSorted(), (await namesAt(query)).toSorted());
  for (const value of [first!, second!]) {
    const alone = new URLSearchParams(query);
    alone.set("product_name", value);
    assertEquals(await countBeside(page, value), (await namesAt(String(alone))).length, value);
  }
  ok(await countBeside(page, second!) < other, "The other lists narrow it");
  assertEquals(await chosenIn(page), [`${first}, +1`, "Planned, +1"]);
  match(await page.title(), new RegExp(`^${first} or ${second}, planned or shipped · `));
  assertEquals(await findBarriers(page), []);
}, { viewport: { width: 1280, height: 900 } });

test("A value that only the URL names has a count of zero, whatever its name", async (page) => {
  for (const value of ["__proto__", "constructor", "toString"]) {
    await page.goto(`/?product_name=${value}`);
    assertEquals(await countBeside(page, value), 0);
    assertEquals(await chosenIn(page), [value]);
    await page.locator(".take-off").click();
    // The page's script removes it without a reload.
    await page.waitForFunction(() => document.querySelector(".take-off") === null);
  }
}, { viewport: { width: 1280, height: 900 } });

test("A cross takes its filter off, and the focus stays on its button", async (page) => {
  await page.goto("/?release_status=Planned&release_status=Shipped&modified_within_days=30&q=a");
  assertEquals(await chosenIn(page), ["Planned, +1", "modified in the last 30 days"]);
  await page.getByRole("link", { name: "Remove filter: Status" }).click();
  await page.waitForURL("**/?modified_within_days=30&q=a");
  assertEquals(await page.locator(":focus").textContent(), "Status");
  await page.getByRole("link", { name: "Remove filter: More" }).click();
  await page.waitForURL("**/?q=a");
  assertEquals(await chosenIn(page), []);
  await page.goto("/?release_status=Planned&release_status=Shipped&q=a&sort=release_date");
  await page.getByRole("link", { name: "Clear", exact: true }).click();
  await page.waitForURL("**/?sort=release_date");
  assertEquals(await page.locator(":focus").getAttribute("id"), "results-heading");
  assertEquals(await page.getByLabel("Search releases").inputValue(), "");
  await page.waitForFunction(() => document.title === "Roadcast");
}, { viewport: { width: 1280, height: 900 } });

test("Quarters and sort orders can be chosen, and every state is a link that others can open", async () => {
  const { page, faults, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto("/");
  const order = page.locator(".menu.choice");
  await order.locator("summary").click();
  await order.getByRole("link", { name: "Earliest date" }).click();
  await page.waitForURL("**/?sort=release_date&order=asc");
  await page.locator(SETTLED).waitFor();
  assertEquals(
    await namesIn(page),
    (await namesAt(new URL(page.url()).search.slice(1))).slice(0, 50),
  );
  await page.locator(".facet summary", { hasText: "Date" }).click();
  const last = await page.getByLabel("To", { exact: true }).locator("option").last().innerText();
  await page.getByLabel("To", { exact: true }).selectOption(last);
  await page.waitForURL((url) => url.searchParams.get("release_date_to") === last);
  await page.getByLabel("Search releases").fill("the");
  await page.waitForURL(/q=the/);
  await page.locator(SETTLED).waitFor();
  const state = {
    title: await page.title(),
    names: await namesIn(page),
    chosen: await chosenIn(page),
  };
  ok(state.names.length > 0 && state.title.startsWith("“the”, planned"), state.title);
  for (const javaScriptEnabled of [true, false]) {
    const shared = await openPage({ javaScriptEnabled });
    await shared.page.goto(page.url());
    assertEquals(await shared.page.title(), state.title);
    assertEquals(await namesIn(shared.page), state.names);
    assertEquals(await chosenIn(shared.page), state.chosen);
    assertEquals(shared.faults, []);
    await shared.close();
  }
  assertEquals(faults, []);
  await close();
});

test("With search words the best match comes first, unless another order is chosen", async () => {
  const { page, close } = await openPage();
  await page.goto("/");
  await page.getByLabel("Search releases").fill("a");
  await page.waitForURL("**/?q=a");
  await page.locator(SETTLED).waitFor();
  const order = page.locator(".menu.choice");
  match(await order.locator("summary").innerText(), /Best match/);
  assertEquals(await namesIn(page), (await namesAt("q=a&sort=relevance")).slice(0, 50));
  await order.locator("summary").click();
  await order.getByRole("link", { name: "Recently changed" }).click();
  await page.waitForURL("**/?q=a&sort=last_modified");
  await page.locator(SETTLED).waitFor();
  assertEquals(await namesIn(page), (await namesAt("q=a&sort=last_modified")).slice(0, 50));
  assertEquals(await page.locator(":focus").textContent(), "Sort by: Recently changed");
  await close();
});

test("The / key focuses the search, Escape clears it, and / can be turned off", async (page) => {
  await page.goto("/");
  const field = page.getByLabel("Search releases");
  const focused = () => page.locator(":focus").getAttribute("id");
  await page.locator(".release-row h3 a").first().focus();
  await page.keyboard.press("/");
  assertEquals(await focused(), "q");
  await page.keyboard.type("ap/proval");
  assertEquals(await field.inputValue(), "ap/proval");
  await page.keyboard.press("Escape");
  await page.waitForURL(`${site.url}/`);
  assertEquals(await field.inputValue(), "");
  await page.locator(SETTLED).waitFor();
  assertEquals(await page.locator(".release-row").count(), 50);
  await page.getByLabel("Press / to search").uncheck();
  await page.keyboard.press("/");
  assertEquals(await page.locator(":focus").getAttribute("type"), "checkbox");
  await page.reload();
  assertEquals(await page.getByLabel("Press / to search").isChecked(), false);
  await page.locator(".release-row h3 a").first().focus();
  await page.keyboard.press("/");
  assertEquals(await page.locator(":focus").getAttribute("id"), null);
});

test("The / key focuses the search as soon as the page is shown", async (page) => {
  await page.addInitScript(() => {
    addEventListener("DOMContentLoaded", () => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
      document.body.dataset.focusedAtFirst = document.activeElement!.id;
    });
  });
  await page.goto("/");
  assertEquals(await page.locator("body").getAttribute("data-focused-at-first"), "q");
});

test("What is typed and chosen before the script has come is searched", async (page) => {
  const release = await delayScript(page, "Search");
  await page.goto("/?view=board", { waitUntil: "commit" });
  await page.locator("#footer").waitFor();
  await page.waitForFunction(() => document.styleSheets.length > 0);
  await page.getByLabel("Search releases").pressSequentially("the ");
  await chooseFilter(page, "Status", "Planned");
  await page.locator(".facet summary", { hasText: "Date" }).click();
  const from = page.getByLabel("From", { exact: true });
  const quarter = await from.locator("option").nth(1).innerText();
  await from.selectOption(quarter);
  release();
  await page.waitForURL((url) => url.searchParams.get("release_status") === "Planned");
  const { searchParams } = new URL(page.url());
  assertEquals(searchParams.get("q"), "the");
  assertEquals(searchParams.get("view"), "board");
  assertEquals(searchParams.get("release_date_from"), quarter);
  assertEquals(await page.getByLabel("Search releases").inputValue(), "the ");
  await page.locator(SETTLED).waitFor();
  assertEquals(await chosenIn(page), ["Planned", `planned from ${quarter} on`]);
  await page.goBack();
  await page.waitForURL((url) => url.search === "?view=board");
  await page.locator(".take-off").first().waitFor({ state: "detached" });
  assertEquals(await page.getByLabel("Search releases").inputValue(), "");
  assertEquals(await page.locator(".facet input:checked").count(), 0);
}, { viewport: { width: 1280, height: 900 } });

test("Going back from another page restores the search as it was", async (page) => {
  await page.goto("/");
  await chooseFilter(page, "Status", "Planned");
  await page.waitForURL(/release_status=Planned/);
  await page.locator(SETTLED).waitFor();
  await page.goto("/insights");
  await page.goBack();
  await page.waitForURL(/release_status=Planned/);
  await page.goBack();
  await page.waitForURL((url) => url.search === "");
  await page.waitForLoadState("networkidle");
  assertEquals(new URL(page.url()).search, "");
  assertEquals(await page.locator(".facet input:checked").count(), 0);
}, { viewport: { width: 1280, height: 900 } });

test("A link within the page does not search again", async (page) => {
  await page.goto("/?q=the", { waitUntil: "networkidle" });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#/);
  await page.goBack();
  await page.waitForURL((url) => url.hash === "");
  assertEquals(asked.filter((path) => path === "/search.json"), []);
}, { viewport: { width: 1280, height: 900 } });

test("Pages are numbered, and preserve the filters", async (page) => {
  await page.goto("/?sort=release_date&order=asc&release_date_from=Q1+2020");
  const pages = page.getByRole("navigation", { name: "Pages of results" });
  await pages.getByRole("link", { name: "Page 2" }).click();
  await page.waitForURL("**/?release_date_from=Q1+2020&sort=release_date&order=asc&page=2");
  await page.getByText("page 2 of 2").first().waitFor();
  await page.waitForFunction(() => /^Planned from Q1 2020 on, page 2 · /.test(document.title));
  assertEquals(await pages.locator("[aria-current]").innerText(), "2");
  assertEquals(await findBarriers(page), []);
  await page.goto("/?page=99");
  const { length } = await namesAt("");
  assertEquals(await page.locator(".count").innerText(), `${length} releases`);
  await page.getByRole("link", { name: "Go to the last page" }).click();
  await page.waitForURL("**/?page=2");
});

test("On a phone the first screen has four releases, with names over the full width", async () => {
  const { page, close } = await openPage({ viewport: { width: 360, height: 800 } });
  await page.goto("/", { waitUntil: "networkidle" });
  const bar = await page.locator(".site-header nav").boundingBox();
  const rows = page.locator(".release-row");
  const fourth = await rows.nth(3).boundingBox();
  ok(fourth!.y + fourth!.height <= bar!.y, `The fourth release ends at ${fourth!.y} px`);
  const gaps = await rows.evaluateAll((rows) =>
    rows.map((row) => {
      const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(row);
      const inner = row.clientWidth - parseFloat(paddingInlineStart) - parseFloat(paddingInlineEnd);
      return Math.round(inner - row.querySelector("h3")!.getBoundingClientRect().width);
    })
  );
  assertEquals(gaps.filter((gap) => gap !== 0), []);
  await close();
});

test("On a phone the filters are collapsed, and the first release is on the first screen", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, faults, close } = await openPage({
      javaScriptEnabled,
      viewport: { width: 360, height: 740 },
    });
    await page.goto("/");
    const box = await page.locator(".release-row h3").first().boundingBox();
    ok(box && box.y + box.height <= 740, `The first release ends at ${box?.y} px`);
    const status = page.locator(".facet input[value=Shipped]");
    assertEquals(await status.isVisible(), false);
    await chooseFilter(page, "Status", "Shipped");
    if (javaScriptEnabled) await page.waitForURL("**/?release_status=Shipped");
    await page.getByRole("button", { name: /^Show \d+ releases$/ }).click();
    await page.waitForURL(/release_status=Shipped/);
    await page.locator(".fold > summary", { hasText: "Filters (1)" }).waitFor();
    assertEquals(await status.isVisible(), false);
    assertEquals(await page.locator(".fold > summary").innerText(), "Filters (1)");
    if (javaScriptEnabled) {
      assertEquals(await page.locator(":focus").getAttribute("id"), "results-heading");
    }
    assertEquals(await page.getByLabel("Press / to search").isVisible(), false);
    assertEquals(faults, []);
    await close();
  }
});

test("Without scripts the form, its crosses, sort order and follow link all work", async (page) => {
  await page.goto("/?sort=release_date");
  await chooseFilter(page, "Status", "Planned");
  await chooseFilter(page, "Status", "Shipped");
  await page.locator(".facet summary", { hasText: "Date" }).click();
  const from = page.getByLabel("From", { exact: true });
  const quarter = await from.locator("option").nth(1).innerText();
  await from.selectOption(quarter);
  await page.getByLabel("Press / to search").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: /^Show/ }).click();
  await page.waitForURL(/sort=release_date/);
  assertEquals(await chosenIn(page), ["Planned, +1", `planned from ${quarter} on`]);
  await page.getByRole("link", { name: "Remove filter: Status" }).click();
  await page.locator(".menu.choice summary").click();
  await page.getByRole("link", { name: "Earliest date" }).click();
  await page.waitForURL(/order=asc/);
  const query = new URLSearchParams(new URL(page.url()).search);
  assertEquals(query.getAll("release_status"), []);
  assertEquals(query.get("release_date_from"), quarter);
  assertEquals(await namesIn(page), (await namesAt(String(query))).slice(0, 50));
  const follow = page.getByRole("link", { name: "Follow", exact: true });
  match((await follow.getAttribute("href"))!, /release_date_from=/);
}, { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
