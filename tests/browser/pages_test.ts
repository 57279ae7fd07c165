import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Page, Request as PageRequest } from "playwright-core";
import { chooseFilter, findBarriers, LOOKS, shareSite } from "../support/browser.ts";

const site = shareSite();
const { test, openPage } = site;
let releasePath: string;

Deno.test.beforeAll(async () => {
  const { data } = await (await fetch(`${site.url}/api/releases?q=approval`)).json();
  releasePath = `/release/${data[0].release_item_id}`;
});

/** Waits until the results match the search. */
async function settle(page: Page): Promise<void> {
  await page.locator('.results[aria-busy="false"]').waitFor();
}

const PAGES = [
  "/",
  "/?view=board",
  "/?view=board&group=status",
  "/?release_status=Planned&release_status=Shipped&release_date_from=Q1+2026&page=2",
  "/?q=the&include_inactive=true",
  "/?q=zzqqxx",
  "/changelog",
];

for (const { name, options } of LOOKS) {
  test(`Every page is accessible, free of errors and not too wide (${name})`, async () => {
    const { page, faults, close } = await openPage(options);
    for (const path of [...PAGES, releasePath, "/subscribe", "/api"]) {
      await page.goto(path, { waitUntil: "networkidle" });
      assertEquals(await findBarriers(page), [], path);
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      ok(tooWide <= 0, `${path} is ${tooWide} px too wide`);
    }
    assertEquals(faults, []);
    await page.goto("/nowhere");
    assertEquals(await findBarriers(page), [], "/nowhere");
    await close();
  });

  test(`Results update as you type, and the URL reflects the search (${name})`, async (page) => {
    await page.goto("/");
    await page.getByLabel("Search releases").pressSequentially("approval", { delay: 20 });
    await page.waitForURL("**/?q=approval");
    await settle(page);
    match(await page.locator(".count").innerText(), /^\d+ releases?$/);
    match(await page.locator(".release-row h3").first().innerText(), /approval/i);
    await chooseFilter(page, "Status", "Shipped");
    await page.waitForURL("**/?release_status=Shipped&q=approval");
    await settle(page);
    const tones = await page.locator(".release-row .badge").allInnerTexts();
    ok(tones.length > 0 && tones.every((tone) => tone === "Shipped"), tones.join());
    await page.getByLabel("Search releases").fill("zzqqxx");
    await page.getByText("No releases found").waitFor();
    await page.goBack();
    await page.waitForURL("**/?release_status=Shipped&q=approval");
    await page.goBack();
    await page.waitForURL("**/?q=approval");
    await settle(page);
    ok(await page.locator(".rows mark").count() > 0);
    assertEquals(await page.locator("input[name=release_status]:checked").count(), 0);
    await page.goBack();
    await page.waitForURL(`${site.url}/`);
    await page.locator(".count:not(.narrowed)", { hasText: /^\d+ releases$/ }).waitFor();
    assertEquals(await page.getByLabel("Search releases").inputValue(), "");
  }, options);
}

test("A shared URL shows the search without scripts", async (page) => {
  await page.goto("/");
  await page.getByLabel("Search releases").fill("approval");
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL(/q=approval/);
  match(await page.locator(".release-row h3").first().innerText(), /approval/i);
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await page.waitForURL(/q=approval&view=board/);
  ok(await page.locator(".column").count() > 0);
  await page.locator(".column a").first().click();
  await page.waitForURL("**/release/*");
  await page.getByRole("heading", { name: "History" }).waitFor();
  await page.locator(".watch").getByRole("link").first().click();
  assertEquals(await page.locator("input[name=products]:checked").count(), 1);
  await page.goto("/changelog");
  await page.getByRole("link", { name: /^Shipped \d+$/ }).click();
  await page.waitForURL(/kind=shipped/);
  assertEquals(
    new Set(await page.locator(".entry > .badge").allInnerTexts()),
    new Set(["Shipped"]),
  );
  await page.locator(".facet summary", { hasText: "More" }).click();
  await page.getByLabel("Hide removed releases").check();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForURL(/include_inactive=false.*kind=shipped/);
  match(await page.locator(".count").innerText(), /^\d+ changes?$/);
  await page.goto("/api");
  await page.getByRole("link", { name: "POST /api/subscribe" }).click();
  await page.getByRole("heading", { name: "POST /api/subscribe" }).waitFor();
  assertEquals(await page.getByRole("button", { name: "Run /api/subscribe" }).count(), 0);
  assertEquals(await page.locator(".samples pre:visible").count(), 1);
  await page.getByText("Python").click();
  match(await page.locator(".samples pre:visible").innerText(), /^import json\n/);
  await page.getByRole("link", { name: "/api/filter-options" }).click();
  await page.getByRole("button", { name: "Run /api/filter-options" }).click();
  await page.waitForURL(/\/api\/filter-options/);
}, { javaScriptEnabled: false });

test("The search works by keyboard alone", async (page) => {
  await page.goto("/");
  await page.keyboard.press("Tab");
  assertEquals(await page.locator(":focus").innerText(), "Skip to results");
  await page.keyboard.press("Enter");
  await page.locator("#results-heading:focus").waitFor();
  await page.keyboard.press("/");
  assertEquals(await page.locator(":focus").getAttribute("id"), "q");
  await page.keyboard.type("approval");
  await settle(page);
  await page.getByRole("link", { name: "Board", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".column").first().waitFor();
  await page.locator(".board").first().focus();
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
  assertEquals(outline, "solid");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/release/*");
  await page.goBack();
  await page.waitForURL("**/?q=approval&view=board");
});

test("An older response never overwrites a newer one", async (page) => {
  await page.goto("/");
  let release = () => {};
  const held = new Promise<void>((resolve) => release = resolve);
  await page.route("**/search.json?q=the*", async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  const box = page.getByLabel("Search releases");
  const asked = page.waitForRequest(/search\.json\?q=the$/);
  await box.fill("the");
  await asked;
  await box.fill("approval");
  await settle(page);
  const before = await page.locator(".release-list").innerText();
  release();
  await page.waitForLoadState("networkidle");
  assertEquals(await page.locator(".release-list").innerText(), before);
});

test("A failed search says so, and can be retried", async () => {
  const { page, close } = await openPage();
  await page.goto("/");
  await page.route("**/search.json?*", (route) => route.abort());
  await chooseFilter(page, "Status", "Shipped");
  await page.getByText("Cannot reach the server.").waitFor();
  assertEquals(await findBarriers(page), []);
  await page.unroute("**/search.json?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator('.results[aria-busy="false"] .release-row').first().waitFor();
  assertEquals(
    await page.locator(".tone-shipped").count(),
    await page.locator(".release-row").count(),
  );
  await close();
});

test("Paging works without a reload, and focuses the results", async (page) => {
  await page.goto("/");
  await page.evaluate(() => document.body.dataset.stayed = "yes");
  await page.getByRole("link", { name: "Next →" }).click();
  await page.waitForURL("**/?page=2");
  await page.getByText("page 2 of 2").first().waitFor();
  assertEquals(await page.locator(":focus").getAttribute("id"), "results-heading");
  assertEquals(await page.evaluate(() => document.body.dataset.stayed), "yes");
});

test("Follow links match the search, even without a reload", async (page) => {
  await page.goto("/");
  await chooseFilter(page, "Status", "Shipped");
  await settle(page);
  for (const path of ["/rss.xml", "/atom.xml", "/feed.json"]) {
    const link = page.locator(`link[rel="alternate"][href="${path}?release_status=Shipped"]`);
    await link.waitFor({ state: "attached" });
    assertEquals(await link.getAttribute("title"), "Shipped · Roadcast");
  }
  await page.getByRole("link", { name: "Follow", exact: true }).click();
  await page.waitForURL("**/subscribe?release_status=Shipped");
  assertEquals(await page.locator("input[name=statuses]:checked").count(), 1);
  await page.getByRole("link", { name: "Without email" }).click();
  assertEquals(
    await page.getByRole("link", { name: "Add to calendar" }).getAttribute("href"),
    `${site.url.replace("http:", "webcal:")}/calendar.ics?release_status=Shipped`,
  );
  assertEquals(await findBarriers(page), []);
});

test("Feeds match a new search before the next paint, and the title with its results", async () => {
  const { page, faults, close } = await openPage();
  await page.goto("/");
  const seen = await page.evaluate(async () => {
    document.querySelector<HTMLElement>("input[name=release_status][value=Shipped]")!.click();
    await null; // the microtasks of the click have run, but nothing has been painted
    return document.querySelector("link[type*=atom]")!.getAttribute("href");
  });
  assertEquals(seen, "/atom.xml?release_status=Shipped");
  await settle(page);
  assertEquals(await page.title(), "Shipped · Roadcast");
  assertEquals(faults, []);
  await close();
});

test("Feed URLs and chat commands are copied with one click", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page, faults, close } = await openPage({ permissions });
  await page.goto("/subscribe?q=approval&by=feed");
  for (
    const [name, copied] of [
      ["Copy RSS address", `${site.url}/rss.xml?q=approval&match=words`],
      ["Copy command", `/feed subscribe ${site.url}/rss.xml?q=approval&match=words`],
    ] as const
  ) {
    const button = page.getByRole("button", { name, exact: true });
    await button.click();
    await page.locator(".copy-link", { has: button }).getByText("Copied").waitFor();
    assertEquals(await page.evaluate(() => navigator.clipboard.readText()), copied);
  }
  assertEquals(faults, []);
  await close();
});

test("Every way to follow is available on a phone, and without scripts", async (page) => {
  for (const path of ["/?q=approval", "/changelog", releasePath]) {
    await page.goto(path);
    await page.getByRole("link", { name: "Follow", exact: true }).click();
    await page.waitForURL("**/subscribe*");
    await page.getByRole("link", { name: "Without email" }).click();
    for (const name of ["RSS", "Atom", "JSON Feed", "Add to calendar"]) {
      const box = await page.getByRole("link", { name, exact: true }).boundingBox();
      ok(box && box.x >= 0 && box.x + box.width <= 360, `${name} on ${path}`);
    }
    assertEquals(await page.locator(".follow-ways button:visible").count(), 0);
  }
}, { javaScriptEnabled: false, viewport: { width: 360, height: 800 } });

test("The API page runs its examples against this server", async (page) => {
  await page.goto("/api", { waitUntil: "networkidle" });
  const sample = page.locator(".samples pre:visible");
  const response = page.getByRole("group", { name: "Response of" });
  ok(await page.evaluate(() => document.documentElement.scrollHeight) < 2_000);
  await page.getByText("optional parameters").click();
  await page.getByLabel("page_size").fill("1");
  match(await sample.innerText(), /curl '.*\/api\/releases\?page_size=1'/);
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText('"total_items"').waitFor();
  match(await response.innerText(), /^200 OK\n[^]*etag: W\//);
  await page.locator("summary", { hasText: "release_status" }).click();
  for (const status of ["Planned", "Shipped"]) {
    await page.getByRole("checkbox", { name: status, exact: true }).check();
  }
  await page.getByLabel("include_inactive").selectOption("true");
  const chosen = "release_status=Planned&release_status=Shipped&include_inactive=true";
  match(await sample.innerText(), new RegExp(`\\?${chosen}|&${chosen}`));
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText(`include_inactive=true`).last().waitFor();
  assertEquals(await findBarriers(page), []);
  await page.getByRole("link", { name: "POST /api/subscribe" }).click();
  await page.getByRole("button", { name: "Run /api/subscribe" }).click();
  await page.getByText(/^202 Accepted\n/).waitFor();
  assertEquals(await page.getByText("`").count(), 0);
  assertEquals(await findBarriers(page), []);
});

test("The API page's code samples send the composed request", async (page) => {
  for (const operation of ["getReleases", "getRssXml", "postSubscribe"]) {
    await page.goto(`/api?operation=${operation}`);
    await page.getByText("JavaScript", { exact: true }).click();
    const javaScript = await page.locator(".samples pre:visible").innerText();
    const printed: unknown[] = [];
    const run = new Function("console", `return (async () => {${javaScript}})();`);
    await run({ log: (value: unknown) => printed.push(value) });
    match(JSON.stringify(printed), /total_items|<rss|accepted/i, operation);
  }
});

test("On a phone the Run button is near the heading of its endpoint", async (page) => {
  for (const operation of ["getReleases", "getChangelog", "getCalendarIcs"]) {
    await page.goto(`/api?operation=${operation}#${operation}`);
    const [heading, button] = await Promise.all([
      page.locator(".operation h2").boundingBox(),
      page.getByRole("button", { name: "Run" }).boundingBox(),
    ]);
    ok(button!.y - heading!.y < 300, `${operation}: ${button!.y - heading!.y} px`);
  }
}, { viewport: { width: 360, height: 800 } });

/** The most bytes of script that a view of the roadmap loads. */
const MOST_SCRIPT = 16_384;

for (const path of ["/", "/?view=board"]) {
  test(`The roadmap at ${path} is light: at most ${MOST_SCRIPT} bytes of script, 60 KB in all`, async () => {
    await measureWeight(path);
  });
}

async function measureWeight(path: string): Promise<void> {
  const { page, close } = await openPage();
  const requests: PageRequest[] = [];
  page.on("requestfinished", (request) => requests.push(request));
  await page.goto(path, { waitUntil: "networkidle" });
  ok(await page.locator(".release-row, .cards li, td summary").count() >= 20);
  const sizes = await Promise.all(
    requests.map(async (request) => ({
      type: request.resourceType(),
      size: (await request.sizes()).responseBodySize,
    })),
  );
  const sum = (type?: string) =>
    sizes.filter((one) => !type || one.type === type).reduce((all, { size }) => all + size, 0);
  console.log(`${sum("script")} bytes of script, ${sum()} bytes in all, as sent`);
  ok(sum("script") > 0 && sum("script") <= MOST_SCRIPT, `${sum("script")} bytes of script`);
  ok(sum() < 60_000, `${sum()} bytes in all`);
  await close();
}
