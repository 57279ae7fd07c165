import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Browser } from "playwright-core";
import { importItems, makeItem } from "../support/app.ts";
import { findBarriers, startBrowser } from "../support/browser.ts";
import { openMigratedEmbedded } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { linkOf } from "../support/servers/mail_server.ts";

const LOOKS = [360, 640].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    viewport: { width, height: 800 },
    colorScheme,
  }))
);

let browser: Browser;

Deno.test.beforeAll(async () => {
  browser = await startBrowser();
});
Deno.test.afterAll(() => browser.close());

/** One email of each kind. */
async function writeMails() {
  const database = await openMigratedEmbedded();
  await using services = await startDigests(database, { SITE_NAME: "Acme Roadmap" });
  const long = "Supercalifragilisticexpialidocious".repeat(4);
  await importItems(database, [1, 2, 3, 4].map((number) => makeItem(number)));
  const verification = await services.subscribe("ann@example.com");
  await services.app.fetch(linkOf(verification, "/verify-email"));
  await importItems(database, [
    makeItem(1, { release_status: "Shipped", product_name: long }),
    makeItem(2, { release_date: "Q4 2026", feature_name: long }),
    makeItem(3, { feature_description: `Another description, ${long}` }),
    makeItem(5),
  ]);
  const [digest] = await services.digest();
  const preferences = await services.subscribe("ann@example.com", { products: ["Product"] });
  await database.close();
  const mails = { verification, digest: digest!, preferences };
  return Object.entries(mails).map(([name, { html }]) => ({ name, html: html! }));
}

Deno.test({
  name: "Emails fit narrow and wide windows, and are readable in light and dark themes",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const mails = await writeMails();
    for (const look of LOOKS) {
      const context = await browser.newContext(look);
      const requests: string[] = [];
      context.on("request", (request) => requests.push(request.url()));
      for (const { name, html } of mails) {
        const page = await context.newPage();
        await page.setContent(html);
        const seen = await page.evaluate(() => ({
          overflow: document.documentElement.scrollWidth - innerWidth,
          buttons: document.querySelectorAll("td > a[class*=g-accent]").length,
          ground: getComputedStyle(document.body).backgroundColor,
        }));
        assertEquals([name, seen], [name, {
          overflow: 0,
          buttons: 1,
          ground: look.colorScheme === "dark" ? "rgb(21, 23, 24)" : "rgb(251, 250, 248)",
        }]);
        // An email is not a page of a site, and has no landmarks.
        const barriers = (await findBarriers(page)).filter((barrier) =>
          !/^(region|landmark)/.test(barrier)
        );
        assertEquals([name, look.colorScheme, barriers], [name, look.colorScheme, []]);
        await page.close();
      }
      assertEquals(requests, []); // no image or font that would track the reader
      await context.close();
    }
  },
});
