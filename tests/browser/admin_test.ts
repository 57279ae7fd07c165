import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { findBarriers, LOOKS, shareSite, startSampleServer } from "../support/browser.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

const folder = await Deno.makeTempDir();
const config = `${folder}/sources.json`;
// A name without spaces, longer than a line on a phone.
const NAME = `team-${"long".repeat(20)}`;

/** Writes a source of `count` items. */
async function writeItems(count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, place) => ({
    release_item_id: `00000000-0000-4000-8000-00000000000${place}`,
    feature_name: `Feature ${place}`,
    release_date: "Q3 2030",
    release_type: "Preview",
    release_status: "Planned",
    product_name: place % 2 ? "Maps" : "Mail",
  }));
  await Deno.writeTextFile(`${folder}/items.json`, JSON.stringify(items));
}
await writeItems(8);
await Deno.writeTextFile(config, JSON.stringify({ sources: [{ name: NAME, from: "items.json" }] }));

// Hooks run in reverse order of registration.
Deno.test.afterAll(async () => await Deno.remove(folder, { recursive: true }));
const { test, openPage } = shareSite(() =>
  startSampleServer({ ADMIN_TOKEN, ROADMAP_CONFIG: config })
);

/** Checks for barriers (for which axe-core needs scripts), and that nothing exceeds the window. */
async function check(page: Page, hasScripts: boolean): Promise<void> {
  if (hasScripts) assertEquals(await findBarriers(page), []);
  const isWider = await page.evaluate(() =>
    document.documentElement.scrollWidth > document.documentElement.clientWidth
  );
  assertEquals([page.url(), isWider], [page.url(), false]);
}

async function signIn(page: Page, path: string, hasScripts: boolean): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await check(page, hasScripts);
  await page.getByLabel("Token").fill(ADMIN_TOKEN);
  await page.keyboard.press("Enter");
}

/** Checks that an email is shown in both themes, whichever the browser prefers. */
async function checkThemes(page: Page, hasScripts: boolean): Promise<void> {
  await check(page, hasScripts);
  const grounds = [];
  for (const theme of ["light", "dark"]) {
    const frame = page.frameLocator(`iframe[title$="${theme} theme"]`);
    await frame.getByRole("heading", { name: /^Change your subscription to/ }).waitFor();
    grounds.push(
      await frame.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor),
    );
  }
  assertEquals(new Set(grounds).size, 2);
}

for (const { name, options } of LOOKS) {
  for (const hasScripts of [true, false]) {
    const how = hasScripts ? "with scripts" : "without scripts";
    test(`An operator signs in, browses the pages, and signs out (${name}, ${how})`, async () => {
      const { page, faults, close } = await openPage({ ...options, javaScriptEnabled: hasScripts });
      await signIn(page, "/admin/settings", hasScripts);
      await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
      await check(page, hasScripts);
      for (
        const [place, current] of [
          ["Overview"],
          ["Sources", "All sources"],
          ["Upload"],
          ["Announcements"],
          ["Add a source", "All sources"],
          ["Subscribers"],
          ["Emails"],
          ["Webhooks"],
          ["Audit log"],
        ] as const
      ) {
        if (place === "Add a source") await page.getByRole("link", { name: "All sources" }).click();
        await page.getByRole("link", { name: place, exact: true }).click();
        await page.getByRole("heading", { level: 1, name: place }).waitFor();
        const link = page.locator("[aria-current=page]");
        assertEquals(await link.innerText(), current ?? place);
        await check(page, hasScripts);
      }
      await page.goto("/admin/email?kind=preferences");
      await checkThemes(page, hasScripts);
      await page.getByRole("button", { name: "Sign out", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      await page.goto("/admin");
      match(page.url(), /\/admin\/sign-in$/);
      assertEquals(faults, []);
      await close();
    });
  }
}

for (const hasScripts of [true, false]) {
  const how = hasScripts ? "with scripts" : "without scripts";
  test(`An import succeeds, is refused, and is accepted once (${how})`, async () => {
    await writeItems(8);
    const viewport = { width: 360, height: 800 };
    const { page, faults, close } = await openPage({ javaScriptEnabled: hasScripts, viewport });
    await signIn(page, "/admin/sources", hasScripts);
    await page.getByRole("link", { name: NAME }).click();
    const importNow = page.getByRole("button", { name: "Import now" });
    const address = `/admin/source?${new URLSearchParams({ name: NAME })}`;
    /** Presses a button that starts an import, and waits until it has finished. */
    const importBy = async (button: typeof importNow) => {
      await button.click();
      await page.locator(".admin-note").waitFor();
      await check(page, hasScripts);
      do await page.goto(address); while (!await importNow.isVisible());
    };
    do await page.goto(address); while (!await importNow.isVisible());
    await importBy(importNow);
    await writeItems(2);
    await importBy(importNow);
    await page.getByRole("heading", { name: "The last import was refused" }).waitFor();
    await check(page, hasScripts);
    await importBy(page.getByRole("button", { name: "Accept once and import" }));
    assertEquals(await page.getByText("6 removed").first().isVisible(), true);
    assertEquals(await page.getByText("The last import was refused").count(), 0);
    await writeItems(8);
    await importBy(importNow);
    assertEquals(faults, []);
    await close();
  });
}

/** An export whose column names say nothing, with its own date format. */
const MESSY = [
  "K1;K2;K3;K4;K5;K6",
  ...Array.from(
    { length: 200 },
    (_, place) =>
      `${place};Plan ${place} ${"x".repeat(place % 90)};Maps;planned;03.11.2030;${
        place % 2 ? "public" : "internal"
      }`,
  ),
].join("\n");
const COLUMNS = { K1: "ID", K2: "Title", K3: "Product", K4: "Status", K5: "Date" };

for (const hasScripts of [true, false]) {
  const how = hasScripts ? "with scripts" : "without scripts";
  test(`A messy file is uploaded, corrected and imported (${how})`, async () => {
    const viewport = { width: 360, height: 800 };
    const { page, faults, close } = await openPage({ javaScriptEnabled: hasScripts, viewport });
    const source = `plans-${hasScripts}`;
    await signIn(page, "/admin/uploads", hasScripts);
    await page.getByLabel("Name of the source").fill(source);
    await page.getByLabel("File", { exact: true }).setInputFiles({
      name: "plans.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(MESSY),
    });
    await check(page, hasScripts);
    await page.getByRole("button", { name: "Upload and check" }).click();
    await page.getByRole("alert").getByText("so nothing can be imported yet").waitFor();
    await check(page, hasScripts);
    for (const [column, field] of Object.entries(COLUMNS)) {
      const menu = page.getByLabel(`What ${column} is`, { exact: true });
      // With scripts each choice shows at once what it does.
      const shown = hasScripts ? page.waitForEvent("load") : null;
      await menu.selectOption(field);
      await shown;
    }
    await page.getByText("Only some …").click();
    await page.getByLabel("is one of").fill("public");
    const shown = hasScripts ? page.waitForEvent("load") : null;
    await page.getByLabel("Rows whose").selectOption("K6");
    await shown;
    if (!hasScripts) await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("100 releases will be added").waitFor();
    await check(page, hasScripts);
    await page.getByRole("button", { name: "Import 100 releases" }).click();
    await page.getByText("The file is imported and live on the roadmap.").waitFor();
    await page.goto(`/?q=Plan+1&source=${source}`);
    await page.getByRole("link", { name: /^Plan 1 / }).first().waitFor();
    assertEquals(faults, []);
    await close();
  });
}

test("Enter in a field of a mapping never chooses the order of day and month", async (page) => {
  await signIn(page, "/admin/uploads", true);
  await page.getByLabel("Name of the source").fill("enter");
  await page.getByLabel("File", { exact: true }).setInputFiles({
    name: "american.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(
      "Title,Product,Status,Due\nA,Maps,planned,03/04/2030\nB,Maps,planned,05/06/2030",
    ),
  });
  await page.getByRole("button", { name: "Upload and check" }).click();
  await page.locator(".mapping-problem button").first().waitFor();
  const type = page.getByLabel("Type of every row");
  await type.fill("Feature");
  await type.press("Enter");
  await page.waitForLoadState();
  await page.waitForFunction(() =>
    document.querySelector<HTMLInputElement>("[name='value.release_type']")?.defaultValue ===
      "Feature"
  );
  assertEquals(await page.locator(".mapping-problem button").count() > 0, true);
}, {});
