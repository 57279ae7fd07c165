import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { findBarriers, shareSite, startSampleServer } from "../support/browser.ts";
import { sumShifts } from "../support/layout_shifts.ts";

let releasePath: string;
const LOGO = await Deno.makeTempFile({ suffix: ".svg" });

// Hooks run in reverse order of registration.
Deno.test.afterAll(() => Deno.remove(LOGO));
const site = shareSite(async () => {
  const icon = await Deno.readTextFile(new URL("../../static/favicon.svg", import.meta.url));
  await Deno.writeTextFile(LOGO, icon);
  return await startSampleServer({
    SITE_NAME: "Acme",
    SITE_LOGO: LOGO,
    SITE_ACCENT: "8a1c7c",
    SITE_LINKS: "Docs https://example.com/docs; Support /support; Status /status",
    SITE_FOOTER_LINKS: "Privacy /privacy; Imprint /imprint",
    SITE_IMPRINT: "Acme Ltd., 1 Main Street, Springfield.",
  });
});
const { test, openPage } = site;

Deno.test.beforeAll(async () => {
  const { data } = await (await fetch(`${site.url}/api/releases?q=approval`)).json();
  releasePath = `/release/${data[0].release_item_id}`;
});

/** The background colour of the page. */
function groundOf(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
}

const LIGHT = "rgb(251, 250, 248)";
const DARK = "rgb(21, 23, 24)";

test("A chosen theme applies before the first paint, on every page, until the system theme is chosen", async () => {
  const { page, faults, close } = await openPage({ colorScheme: "light" });
  // The theme as soon as the body exists, which is before the first paint.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      document.documentElement.dataset.themeAtFirst = document.documentElement.dataset.theme;
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto("/");
  assertEquals(await groundOf(page), LIGHT);
  const dark = page.getByRole("button", { name: "Dark" });
  await dark.click();
  assertEquals(await groundOf(page), DARK);
  assertEquals(await page.locator(":focus").innerText(), "Dark");
  for (const path of ["/changelog", releasePath, "/nowhere"]) {
    await page.goto(path);
    assertEquals(await groundOf(page), DARK);
    assertEquals(await page.locator("html").getAttribute("data-theme-at-first"), "dark", path);
    assertEquals(await dark.getAttribute("aria-pressed"), "true");
    assertEquals(await findBarriers(page), [], path);
  }
  await page.goto("/api");
  await page.getByRole("button", { name: "System" }).press("Enter");
  assertEquals(await groundOf(page), LIGHT);
  assertEquals(await dark.getAttribute("aria-pressed"), "false");
  await page.emulateMedia({ colorScheme: "dark" });
  assertEquals(await groundOf(page), DARK);
  await page.getByRole("button", { name: "Light" }).click();
  assertEquals(await groundOf(page), LIGHT);
  assertEquals(faults.filter((fault) => !fault.includes("404")), []);
  await close();
});

test("Other tabs follow the theme, and without storage it applies to this page", async (page) => {
  await page.goto("/subscribe");
  const other = await page.context().newPage();
  await other.goto("/api");
  await other.getByRole("button", { name: "Dark" }).click();
  await page.locator('html[data-theme="dark"]').waitFor();
  await page.addInitScript(() => {
    Object.defineProperty(globalThis, "localStorage", {
      get: () => {
        throw new DOMException("Denied", "SecurityError");
      },
    });
  });
  await page.reload();
  assertEquals(await groundOf(page), LIGHT);
  await page.getByRole("button", { name: "Dark" }).click();
  assertEquals(await groundOf(page), DARK);
}, { colorScheme: "light" });

test("Without scripts the system theme applies, and no useless control is shown", async (page) => {
  await page.goto(releasePath);
  assertEquals(await page.getByRole("button", { name: "Dark" }).count(), 0);
  assertEquals(await page.getByRole("button", { name: "Copy link" }).count(), 0);
  assertEquals(await page.locator(".theme-switch").isVisible(), false);
  match(await page.locator("meta[name=color-scheme]").getAttribute("content") ?? "", /dark/);
}, { javaScriptEnabled: false, colorScheme: "dark" });

test("One click copies the link of a release; without a clipboard the URL is selected", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const { page, faults, close } = await openPage({ permissions });
  await page.goto(releasePath);
  const button = page.getByRole("button", { name: "Copy link" });
  await button.click();
  await page.getByRole("status").getByText("Copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assertEquals(copied, site.url + releasePath);
  assertEquals(await page.locator(":focus").innerText(), "Copy link");
  assertEquals(await findBarriers(page), []);
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("denied"));
  });
  await button.press("Enter");
  await page.getByRole("status").getByText(releasePath).waitFor();
  assertEquals(await page.evaluate(() => getSelection()?.toString()), site.url + releasePath);
  assertEquals(faults, []);
  await close();
});

for (const width of [360, 768, 1280]) {
  for (const colorScheme of ["light", "dark"] as const) {
    test(`A site with its own logo is accessible, and nothing shifts (${width} px, ${colorScheme})`, async () => {
      const { page, faults, close } = await openPage({
        viewport: { width, height: 800 },
        colorScheme,
      });
      for (const path of ["/", "/changelog", releasePath, "/release/abc"]) {
        await page.goto(path, { waitUntil: "networkidle" });
        assertEquals(await findBarriers(page), [], path);
        const moved = await sumShifts(page);
        ok(moved <= 0.02, `${path} moved by ${moved}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        ok(wide <= 0, `${path} is ${wide} px too wide`);
      }
      assertEquals(
        await page.locator(".logo").evaluate((img: HTMLImageElement) => img.naturalWidth > 0),
        true,
      );
      assertEquals(faults.filter((fault) => !fault.includes("400")), []);
      await close();
    });
  }
}

test("An invalid URL offers a search", async () => {
  const { page, close } = await openPage();
  await page.goto("/release/abc");
  await page.getByRole("heading", { name: "This link doesn’t work" }).waitFor();
  await page.getByLabel("Search releases").fill("approval");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/\?q=approval$/);
  match(await page.locator(".release-row h3").first().innerText(), /approval/i);
  await close();
});

test("Printed pages have no controls, and dark pages print light", async (page) => {
  for (const path of ["/", "/?view=board", "/changelog", releasePath]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assertEquals(await groundOf(page), "rgb(255, 255, 255)", path);
    const controls = page.locator(
      ["button", "input", "select", "nav a"].map((one) => `${one}:visible`).join(),
    );
    assertEquals(await controls.allInnerTexts(), [], path);
    ok(await page.locator("h1").isVisible());
    await page.emulateMedia({ media: "screen" });
  }
  await page.goto(releasePath);
  await page.evaluate(() => {
    const link = document.createElement("a");
    link.href = "https://example.com/more";
    document.querySelector(".description")!.append(link);
  });
  await page.emulateMedia({ media: "print" });
  const shown = await page.evaluate(() => ({
    link: getComputedStyle(document.querySelector(".description a[href]")!, "::after").content,
    page: getComputedStyle(document.querySelector(".copy-link")!, "::before").content,
  }));
  match(shown.link, /https:\/\/example\.com\/more/);
  assertEquals(shown.page, `"${site.url}${releasePath}"`);
}, { colorScheme: "dark" });

test("With reduced motion preferred, nothing is animated", async () => {
  for (const [reducedMotion, expected] of [["reduce", false], ["no-preference", true]] as const) {
    const { page, close } = await openPage({ reducedMotion });
    await page.goto("/");
    const moves = await page.evaluate(() =>
      [...document.querySelectorAll("*")].some((element) => {
        const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
        return transitionDuration !== "0s" || animationName !== "none" || scrollBehavior !== "auto";
      })
    );
    assertEquals(moves, expected);
    await close();
  }
});
