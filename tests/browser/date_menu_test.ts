import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { shareSite, startSampleServer } from "../support/browser.ts";

const { test, openPage } = shareSite(() =>
  startSampleServer({}, [
    makeItem(1, { release_date: "2099-03-31", dates: { Preview: "2098-09-30" } }),
    makeItem(2, { release_date: "2098-12-31", dates: { "End of life": "2099-12-31" } }),
  ])
);

const SETTLED = '.results[aria-busy="false"]';

test("The menu of dates chooses by which date the roadmap is, in place", async () => {
  const { page, faults, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto("/");
  const menu = page.locator(".facet", { has: page.locator("#date_name") });
  await menu.locator("summary").first().click();
  const names = await menu.locator("#date_name option").allTextContents();
  assertEquals(names, ["Release date", "End of life", "Preview"]);
  await menu.getByLabel("Date to go by").selectOption("Preview");
  await page.waitForURL((url) => url.searchParams.get("date_name") === "Preview");
  await page.locator(SETTLED).waitFor();
  await page.getByRole("heading", { name: "Q3 2098" }).waitFor();
  assertEquals(await menu.locator("summary strong").allTextContents(), ["by Preview"]);
  await menu.locator(".take-off").click();
  await page.waitForURL((url) => !url.searchParams.has("date_name"));
  await page.locator(SETTLED).waitFor();
  assertEquals(await menu.locator("#date_name").inputValue(), "");
  assertEquals(faults, []);
  await close();
});

test("The menu of dates is a plain form without a script", async () => {
  const { page, close } = await openPage({ javaScriptEnabled: false });
  await page.goto("/?date_name=end+of+life");
  assertEquals(await page.locator("#date_name").inputValue(), "end of life");
  await page.goto("/?date_name=Gone&release_date_from=");
  assertEquals(await page.locator("#date_name").inputValue(), "Gone");
  const sent = await page.locator("#search-form").evaluate((form) =>
    String(new URLSearchParams([...new FormData(form as never)] as [string, string][]))
  );
  const query = new URLSearchParams(sent);
  query.set("date_name", "Preview");
  await page.goto(`/?${query}`);
  await page.getByRole("heading", { name: "Q3 2098" }).waitFor();
  await close();
});
