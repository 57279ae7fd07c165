import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findBarriers, shareSite, startSampleServer } from "../support/browser.ts";

const { test, openPage } = shareSite(() => startSampleServer({ SUBSCRIBE_LIMIT: "20" }));
const WIDE = { viewport: { width: 1280, height: 900 } };

/** Marks a page, and says later whether it has been left since. */
async function watchLoads(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate(() => document.documentElement.dataset.first = "yes");
  return () => page.evaluate(() => document.documentElement.dataset.first !== "yes");
}

test("A link to another state of a page changes it in place, and back undoes that", async () => {
  const { page, faults, close } = await openPage(WIDE);
  await page.goto("/changelog");
  const hasLoaded = await watchLoads(page);
  const before = await page.locator("#results").innerText();
  const feed = page.locator("link[rel=alternate]").first();
  await page.evaluate(() => scrollTo(0, 60));
  await page.locator(".kinds a", { hasText: "Shipped" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/changelog?kind=shipped");
  await page.locator(".kinds a[aria-current]", { hasText: "Shipped" }).waitFor();
  match(await page.locator(":focus").innerText(), /Shipped/);
  assertEquals(await page.evaluate(() => scrollY), 60);
  match((await feed.getAttribute("href"))!, /kind=shipped/);
  assertEquals(await findBarriers(page), []);
  await page.locator(".months summary").click();
  await page.locator(".months li a").last().click();
  await page.waitForURL("**/changelog?kind=shipped&month=*");
  await page.locator(".months summary:focus").waitFor();
  assertEquals(await page.locator(".months [open]").count(), 0);
  await page.goBack();
  await page.goBack();
  await page.waitForURL("**/changelog");
  await page.locator(".kinds a[aria-current]", { hasText: "All" }).waitFor();
  assertEquals(await page.locator("#results").innerText(), before);
  assertEquals(await hasLoaded(), false);
  assertEquals(faults, []);
  await close();
});

test("Taking a filter off leads back to its menu", async () => {
  const { page, faults, close } = await openPage(WIDE);
  await page.goto("/insights?product_name=Peatstore");
  const hasLoaded = await watchLoads(page);
  await page.locator(".take-off").click();
  await page.waitForURL("**/insights");
  await page.locator(".facet summary:focus", { hasText: /^Product$/ }).waitFor();
  assertEquals([await hasLoaded(), faults], [false, []]);
  await close();
});

test("The answer to an earlier, slower choice does not replace that to a later one", async () => {
  const { page, faults, close } = await openPage(WIDE);
  await page.goto("/changelog");
  const { promise, resolve } = Promise.withResolvers<void>();
  const values = await page.locator("input[name=product_name]").evaluateAll((
    inputs,
  ) => inputs.slice(0, 2).map((input) => (input as HTMLInputElement).value));
  await page.route(/\/changelog\?/, async (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.getAll("product_name").length === 1) await promise;
    await route.continue().catch(() => {});
  });
  await page.locator(".facet summary", { hasText: "Product" }).click();
  for (const place of [0, 1]) {
    await page.locator("input[name=product_name]").nth(place).check();
  }
  await page.locator(".facet summary", { hasText: "+1" }).waitFor();
  resolve();
  await page.waitForLoadState("networkidle");
  assertEquals(new URL(page.url()).searchParams.getAll("product_name"), values);
  assertEquals(await page.locator("input[name=product_name]:checked").count(), 2);
  assertEquals(faults, []);
  await close();
});

test("A page that says what is wrong with a filter is shown in place", async () => {
  const { page, close } = await openPage(WIDE);
  await page.goto("/compare");
  const hasLoaded = await watchLoads(page);
  await page.locator("#to").fill("2001-01-01");
  await page.locator("#from").focus();
  await page.locator("#results .problem").waitFor();
  assertEquals(new URL(page.url()).search, "");
  assertEquals([await page.locator("#to").inputValue(), await hasLoaded()], ["2001-01-01", false]);
  assertEquals(await findBarriers(page), []);
  await page.locator("#to").fill("2026-09-01");
  await page.locator("#from").focus();
  await page.waitForURL(/to=2026-09-01/);
  await page.locator("#results .problem").waitFor({ state: "detached" });
  await close();
});

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? "in its menu" : "on a page of its own";
  test(`What is wrong with the short form is said beside its field, ${how}`, async () => {
    const { page, close } = await openPage({ ...WIDE, javaScriptEnabled });
    await page.goto("/changelog?kind=shipped");
    await page.getByText("Get this by email").click();
    await page.locator("#email").fill("ada@example");
    if (javaScriptEnabled) {
      await page.locator(".kinds a", { hasText: "Slipped" }).evaluate((link: HTMLElement) =>
        link.click()
      );
      await page.locator(".mail-menu[open] .email-form", { hasText: "only Slipped" }).waitFor();
      assertEquals(await page.locator("#email").inputValue(), "ada@example");
    }
    const hasLoaded = javaScriptEnabled && await watchLoads(page);
    await page.getByRole("button", { name: "Subscribe" }).click();
    const mistake = page.locator(".email-form .mistake");
    await mistake.getByText("must end with the name of a domain").waitFor();
    const colour = await mistake.evaluate((element) => getComputedStyle(element).color);
    assertEquals(colour, "rgb(160, 44, 44)");
    assertEquals(await page.locator("#email").inputValue(), "ada@example");
    assertEquals(await page.locator("#subscription").getByText("only").count(), 1);
    if (hasLoaded) {
      assertEquals(await hasLoaded(), false);
      assertEquals(await page.locator(".mail-menu[open] :focus").getAttribute("id"), "email");
      assertEquals(await findBarriers(page), []);
    }
    await page.locator("#email").fill("ada@example.com");
    const [request] = await Promise.all([
      page.waitForRequest((request) => request.method() === "POST"),
      page.getByRole("button", { name: "Subscribe" }).click(),
    ]);
    const sent = new URLSearchParams(request.postData()!);
    assertEquals(sent.getAll("kinds"), [javaScriptEnabled ? "slipped" : "shipped"]);
    await page.getByText("Check your inbox").first().waitFor();
    await close();
  });
}

test("A link of a menu that opens in another tab leaves the menu open", async (page) => {
  await page.goto("/changelog");
  await page.locator(".share summary").click();
  await page.locator(".share li > a").first().click({ modifiers: ["Control"] });
  assertEquals(await page.locator(".share[open]").count(), 1);
}, WIDE);
