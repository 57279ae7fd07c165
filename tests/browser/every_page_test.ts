import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { type EveryPage, startEveryPage } from "../support/every_control.ts";

/** What no link leads to without a state that only other tests make, and what is no page. */
const UNREACHED = [
  "/admin/email/body",
  "/admin/source/fields",
  "/admin/sources/file",
  "/admin/upload",
  "/admin/upload/fields",
  "/admin/webhook",
  "/digest",
];

let site: EveryPage;
Deno.test.beforeAll(async () => void (site = await startEveryPage()));
Deno.test.afterAll(async () => await site[Symbol.asyncDispose]());

// The browser and the service live longer than a test.
const shared = { sanitizeOps: false, sanitizeResources: false };

Deno.test("Every page of the table of routes is reached by links", shared, () => {
  const missing = [...site.pages].filter(([, addresses]) => addresses.length === 0);
  assertEquals(missing.map(([path]) => path).sort(), UNREACHED);
});

Deno.test("No page leaves its window, with everything open that opens", shared, async () => {
  const context = await site.signedIn({});
  const page = await context.newPage();
  const faults: string[] = [];
  for (const address of [...site.pages.values()].flat()) {
    for (const width of [1280, 360, 320]) {
      await page.setViewportSize({ width, height: 740 });
      // A script may have written for the width that a page was opened in.
      await page.goto(address);
      const { wide, cut } = await page.evaluate(() => {
        const before = document.documentElement.scrollWidth;
        // Menus close each other where they share a name.
        for (const details of document.querySelectorAll("details")) {
          details.removeAttribute("name");
          details.open = true;
        }
        // Nobody can scroll to what stands before the left edge.
        const cut = [...document.querySelectorAll("details > :not(summary)")].filter((opened) =>
          opened.checkVisibility() && opened.getBoundingClientRect().left < 0
        ).map(({ parentElement }) => parentElement!.querySelector("summary")!.textContent);
        return { wide: Math.max(before, document.documentElement.scrollWidth), cut };
      });
      if (wide > width) faults.push(`${address} is ${wide} px wide in a window of ${width} px`);
      for (const menu of cut) {
        faults.push(`${address} at ${width} px: “${menu}” opens beyond the left edge`);
      }
    }
  }
  assertEquals(faults, []);
  await context.close();
});
