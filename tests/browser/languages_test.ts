import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { chooseFilter, findBarriers, shareSite, startSampleServer } from "../support/browser.ts";

const { test, openPage } = shareSite(() => startSampleServer({ LANGUAGE: "ar" }));

const SETTLED = '.results[aria-busy="false"]';

for (const width of [360, 1280]) {
  test(`Arabic is read from the right, filtered and subscribed to (${width} px)`, async () => {
    const { page, faults, close } = await openPage({ viewport: { width, height: 800 } });
    await page.goto("/");
    const root = page.locator("html");
    assertEquals([await root.getAttribute("lang"), await root.getAttribute("dir")], ["ar", "rtl"]);
    const heading = (await page.locator(".release-row h3").first().boundingBox())!;
    assert(heading.x + heading.width > width - 64 || width > 360, "rows begin on the right");
    // The name of a release is Latin here, and has a direction of its own.
    const name = page.locator(".release-row h3 bdi").first();
    assertEquals(await name.evaluate((bdi) => getComputedStyle(bdi).direction), "ltr");
    await chooseFilter(page, "المنتج", "Peatstore");
    const menu = (await page.locator(".facet[open] > :not(summary)").boundingBox())!;
    assert(menu.x >= 0 && menu.x + menu.width <= width, "the menu stays inside the window");
    const show = page.getByRole("button", { name: /^عرض/ });
    if (await show.isVisible()) await show.click();
    await page.waitForURL(/product_name=Peatstore/);
    await page.locator(SETTLED).waitFor();
    const products = await page.locator(".release-row .row-product").allInnerTexts();
    assert(products.length > 0 && products.every((text) => text.includes("Peatstore")));
    const overflow = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
    assertEquals(overflow, 0, "nothing is wider than the window");
    await page.goto("/subscribe");
    await page.locator("#email").fill("nobody@example.com");
    await page.getByRole("button", { name: "اشترك", exact: true }).click();
    await page.locator(".answer").getByText("تحقق من بريدك الوارد").waitFor();
    assertEquals(await findBarriers(page), []);
    assertEquals(faults, []);
    await close();
  });
}
