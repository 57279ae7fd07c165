import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { delayScript, findBarriers, LOOKS, shareSite } from "../support/browser.ts";
import { sumShifts } from "../support/layout_shifts.ts";

const site = shareSite();
const { test, openPage } = site;
/** A release whose date has moved. */
let movedPath: string;

Deno.test.beforeAll(async () => {
  const { moved } = await (await fetch(`${site.url}/api/insights`)).json();
  movedPath = `/release/${moved.releases[0].release_item_id}`;
});

/** Waits until the page has stored this visit, and returns what it stored. */
async function readVisit(page: Page): Promise<{ after: string; at: number }> {
  const noted = await page.waitForFunction(() => {
    const visits = JSON.parse(localStorage.getItem("roadcast-visits ") ?? "null");
    return visits?.now.at > 0 ? visits.now : null;
  });
  return await noted.jsonValue();
}

/** Simulates a visit 3 days ago, before the last changes; returns the IDs they affect. */
async function wasHere(page: Page, changesAgo: number): Promise<string[]> {
  const response = await fetch(`${site.url}/api/changes?limit=1000`);
  const { data } = await response.json() as { data: { cursor: string; release_item_id: string }[] };
  const after = data.at(-1 - changesAgo)!.cursor;
  await readVisit(page); // it would otherwise overwrite the simulated one
  await page.evaluate((after) => {
    const now = { after, at: Date.now() - 3 * 86_400_000 };
    localStorage.setItem("roadcast-visits ", JSON.stringify({ before: null, now }));
  }, after);
  return [...new Set(data.slice(-changesAgo).map(({ release_item_id }) => release_item_id))];
}

/** The IDs of the releases marked as new, in page order. */
function markedIds(page: Page): Promise<string[]> {
  return page.locator("[data-new] a[href*='/release/']").evaluateAll((links) =>
    links.map((link) => link.getAttribute("href")!.split("/").at(-1)!)
  );
}

for (const { name, options } of LOOKS) {
  test(`Insights and the date charts are accessible and fit (${name})`, async (page) => {
    for (const path of ["/insights", "/insights?product_name=none", movedPath]) {
      await page.goto(path, { waitUntil: "networkidle" });
      ok(await sumShifts(page) <= 0.02, path);
      for (const summary of await page.locator(".insight summary").all()) await summary.click();
      assertEquals(await findBarriers(page), [], path);
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(tooWide <= 0, `${path} is ${tooWide} px too wide`);
    }
    await page.locator(".promise-line").waitFor();
  }, options);
}

test("Insights can be filtered by a plain form, without scripts", async (page) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Insights" }).click();
  await page.locator(".facet summary", { hasText: "Product" }).click();
  const first = page.locator("input[name=product_name]").first();
  const product = await first.inputValue();
  await first.check();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/\/insights\?product_name=/);
  await page.getByRole("heading", { name: "Most moved" }).click();
  const named = await page.locator("details:has(#moved) .named .quiet").allInnerTexts();
  ok(named.every((name) => name.startsWith(product)), named.join());
  await page.getByRole("link", { name: "JSON", exact: true }).click();
  await page.waitForURL(/\/api\/insights\?product_name=/);
}, { javaScriptEnabled: false });

for (const width of [360, 1280]) {
  test(`Changes since the last visit are announced and marked (${width} px)`, async () => {
    const viewport = { width, height: 800 };
    const { page, faults, close } = await openPage({ viewport });
    await page.goto("/");
    await readVisit(page);
    assertEquals(await page.locator("#last-visit").innerText(), "");
    assertEquals(await markedIds(page), []);
    const ids = await wasHere(page, 8);
    for (const path of ["/", "/", "/changelog"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      const line = page.locator("#last-visit");
      await line.getByText(/ since \d+ \w+ /).waitFor();
      const [, summary] = /^(.+) since \d+ \w+/.exec(await line.innerText())!;
      const counts = summary!.split(", ").map((count) => Number(/^\d+/.exec(count)![0]));
      assertEquals(counts.reduce((sum, count) => sum + count), ids.length);
      const shown = await page.locator("li a[href*='/release/']").evaluateAll((links) =>
        links.map((link) => link.getAttribute("href")!.split("/").at(-1)!)
      );
      assertEquals(await markedIds(page), shown.filter((id) => ids.includes(id)), path);
      ok(path !== "/changelog" || shown.some((id) => ids.includes(id)));
      ok(await sumShifts(page) <= 0.02, `${path} moved by ${await sumShifts(page)}`);
      const box = await line.locator("a").boundingBox();
      ok(box && box.x + box.width <= width);
      assertEquals(await findBarriers(page), [], path);
    }
    await page.locator("#last-visit a").click();
    await page.waitForURL(/\/changelog\?after=1-[\w-]+$/);
    await page.locator("[data-new]").first().waitFor();
    const all = await markedIds(page);
    assertEquals(new Set(all), new Set(ids));
    assertEquals(await page.context().cookies(), []);
    assertEquals(faults, []);
    await close();
  });
}

test("New changes are marked in the results of a later search as well", async (page) => {
  await page.goto("/");
  const [id] = await wasHere(page, 1);
  await page.goto("/?q=zzqqxx", { waitUntil: "networkidle" });
  assertEquals(await markedIds(page), []);
  const release = await fetch(`${site.url}/api/releases?release_item_id=${id}`);
  const { feature_name } = await release.json();
  await page.getByLabel("Search releases").fill(feature_name);
  await page.locator(`[data-new] a[href="/release/${id}"]`).waitFor();
});

test("A request that fails loses nothing of the last visit, and a filter keeps it", async () => {
  const { page, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto("/");
  const ids = await wasHere(page, 8);
  const stored = await page.evaluate(() => localStorage.getItem("roadcast-visits "));
  for (const status of [503, 429, 404]) {
    await page.route("**/visit.json*", (route) => route.fulfill({ status, body: "{}" }));
    await page.goto("/", { waitUntil: "networkidle" });
    assertEquals(await page.evaluate(() => localStorage.getItem("roadcast-visits ")), stored);
    await page.unroute("**/visit.json*");
  }
  await page.goto("/");
  const link = page.locator("#last-visit a");
  await link.waitFor();
  await link.click();
  await page.waitForURL(/after=/);
  const count = page.locator(".count");
  match(await count.innerText(), / since your last visit$/);
  await page.locator(".facet summary", { hasText: "Product" }).click();
  await page.locator("input[name=product_name]").first().check();
  await page.waitForURL(/product_name=/);
  match(page.url(), /after=1-/);
  match(await count.innerText(), / since your last visit$/);
  ok((await markedIds(page)).every((id) => ids.includes(id)));
  await close();
});

test("An invalid stored visit is replaced, and missing storage causes no errors", async () => {
  const { page, close } = await openPage();
  await page.goto("/");
  await readVisit(page);
  for (const kept of ["1-000000000000-1-0", 7]) {
    await page.evaluate((after) => {
      const now = { after, at: 0 };
      localStorage.setItem("roadcast-visits ", JSON.stringify({ before: null, now }));
    }, kept);
    await page.goto("/changelog");
    match((await readVisit(page)).after, /^1-[\da-f]{12}-/);
    assertEquals(await markedIds(page), []);
    assertEquals(await page.locator("#last-visit").innerText(), "");
  }
  await page.addInitScript(() => {
    Storage.prototype.getItem = Storage.prototype.setItem = () => {
      throw new Error("denied");
    };
  });
  const errors: Error[] = [];
  page.on("pageerror", (error) => errors.push(error));
  await page.goto("/", { waitUntil: "networkidle" });
  assertEquals(errors, []);
  await close();
});

test("A change has a link that is visible on focus, and its target is marked", async (page) => {
  const target = ".history ol > li";
  await page.goto(movedPath);
  const link = page.locator(`${target} .anchor`).nth(1);
  const opacity = () => link.evaluate((link) => getComputedStyle(link).opacity);
  assertEquals(await opacity(), "0");
  await page.locator(`${target} .anchor`).first().focus();
  await page.keyboard.press("Tab");
  while (!await link.evaluate((link) => link === document.activeElement)) {
    await page.keyboard.press("Tab");
  }
  assertEquals(await opacity(), "1");
  const shift = await sumShifts(page);
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\d{4}-\d\d-\d\d(-\d+)?$/);
  assertEquals(await page.locator(`${target}:target`).count(), 1);
  assertEquals(await sumShifts(page), shift);
  assertEquals(await findBarriers(page), []);
});

for (const path of ["/changelog", "/insights", "/compare"]) {
  test(`A filter of ${path} applies as soon as it is chosen, preserving the focus`, async () => {
    const { page, faults, close } = await openPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(path);
    const before = await page.locator("#results").innerText();
    assertEquals(await page.getByRole("button", { name: "Apply" }).isVisible(), false);
    await page.locator(".facet summary", { hasText: "Product" }).click();
    const first = page.locator("input[name=product_name]").first();
    const product = await first.inputValue();
    await first.focus();
    await page.keyboard.press("Space");
    await page.waitForURL(/product_name=/);
    await page.locator(".facet summary", { hasText: `Product: ${product}` }).waitFor();
    assertEquals(await page.locator(":focus").getAttribute("value"), product);
    assertEquals(await page.locator(".facet [open]").count(), 1);
    const after = await page.locator("#results").innerText();
    assertEquals(after === before, false);
    match((await page.locator(".follow-button").getAttribute("href"))!, /product_name=/);
    assertEquals(await findBarriers(page), []);
    await page.keyboard.press("Escape");
    assertEquals(await page.locator(".facet [open]").count(), 0);
    await page.goBack();
    await page.locator(".facet summary", { hasText: /^Product$/ }).waitFor();
    assertEquals(await page.locator("#results").innerText(), before);
    assertEquals(await first.isChecked(), false);
    assertEquals(faults, []);
    await close();
  });
}

test("The first change is two tab stops away from the skip link", async (page) => {
  await page.goto("/changelog");
  await page.keyboard.press("Tab");
  assertEquals(await page.locator(":focus").innerText(), "Skip to results");
  await page.keyboard.press("Enter");
  await page.locator("#results:focus").waitFor();
  await page.keyboard.press("Tab");
  match((await page.locator(":focus").getAttribute("href"))!, /^\/changelog\/\d/);
  await page.keyboard.press("Tab");
  match((await page.locator(":focus").getAttribute("href"))!, /^\/release\//);
});

for (const path of ["/changelog", "/insights"]) {
  test(`A filter of ${path} that is chosen before the script has come is applied`, async (page) => {
    const release = await delayScript(page, "in_place");
    await page.goto(path, { waitUntil: "commit" });
    await page.locator(".facet summary", { hasText: "Product" }).click();
    const first = page.locator("input[name=product_name]").first();
    const product = await first.inputValue();
    await first.check();
    release();
    await page.waitForURL((url) => url.searchParams.get("product_name") === product);
    await page.locator(".facet summary", { hasText: `Product: ${product}` }).waitFor();
    await page.goBack();
    await page.waitForURL((url) => url.search === "");
    await page.waitForFunction(() => !document.querySelector("input[name=product_name]:checked"));
  }, { viewport: { width: 1280, height: 900 } });
}

test("A filter that cannot be applied in place falls back to a page load", async () => {
  const { page, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto("/changelog");
  let refusals = 0;
  await page.route("**/changelog?*", (route) => {
    refusals++;
    return refusals === 1 ? route.fulfill({ status: 503, body: "" }) : route.continue();
  });
  await page.locator(".facet summary", { hasText: "Product" }).click();
  const first = page.locator("input[name=product_name]").first();
  const product = await first.inputValue();
  await first.check();
  await page.waitForURL(/product_name=/);
  await page.locator(".facet summary", { hasText: `Product: ${product}` }).waitFor();
  assertEquals(refusals, 2);
  await close();
});

test("The email form of the changelog subscribes to what the page shows", async (page) => {
  await page.goto("/changelog?kind=shipped");
  await page.locator(".facet summary", { hasText: "Product" }).click();
  const first = page.locator("input[name=product_name]").first();
  const product = await first.inputValue();
  await first.check();
  await page.waitForURL(/product_name=/);
  await page.locator(`.email-form input[name=products][value="${product}"]`).waitFor({
    state: "attached",
  });
  await page.getByText("Get this by email").click();
  match(await page.locator(".mail-menu").innerText(), /only Shipped/);
  await page.locator("#email").fill("ada@example.com");
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.method() === "POST"),
    page.getByRole("button", { name: "Subscribe" }).click(),
  ]);
  assertEquals(request.postDataJSON(), {
    email: "ada@example.com",
    cadence: "weekly",
    products: product,
    kinds: "shipped",
  });
  await page.locator(".answer").getByText("Check your inbox.").waitFor();
  assertEquals(await page.locator("#email").count(), 0);
}, { viewport: { width: 1280, height: 900 } });
