import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { chooseFilter, findBarriers, shareSite, startSampleServer } from "../support/browser.ts";

const { test } = shareSite(() => startSampleServer({ LANGUAGE: "ar" }));

for (const width of [360, 1280]) {
  test(`Arabic is read from the right, filtered and subscribed to (${width} px)`, async (page) => {
    await page.goto("/");
    const root = page.locator("html");
    assertEquals([await root.getAttribute("lang"), await root.getAttribute("dir")], ["ar", "rtl"]);
    const heading = (await page.locator(".release-row h3").first().boundingBox())!;
    assert(heading.x + heading.width > width - 64 || width > 360, "rows begin on the right");
    // The name of a release is Latin here, and has a direction of its own.
    const name = page.locator(".release-row h3 bdi").first();
    assertEquals(await name.evaluate((bdi) => getComputedStyle(bdi).direction), "ltr");
    await chooseFilter(page, "المنتج", "Peatstore");
    const show = page.getByRole("button", { name: /^عرض/ });
    if (await show.isVisible()) await show.click();
    await page.waitForURL(/product_name=Peatstore/);
    const others = page.locator(".release-row .row-product", { hasNotText: "Peatstore" });
    await others.first().waitFor({ state: "detached" });
    assert(await page.locator(".release-row").count() > 0);
    const overflow = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
    assertEquals(overflow, 0, "nothing is wider than the window");
    await page.goto("/subscribe");
    await page.locator("#email").fill("nobody@example.com");
    await page.getByRole("button", { name: "اشتراك", exact: true }).click();
    await page.locator(".answer").getByText("تحقق من بريدك الوارد").waitFor();
    assertEquals(await findBarriers(page), []);
  }, { viewport: { width, height: 800 } });
}
