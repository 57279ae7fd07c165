import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import {
  chooseFilter,
  findBarriers,
  LOOKS,
  shareSite,
  startSampleServer,
} from "../support/browser.ts";

const site = shareSite(() => startSampleServer({ SITE_ACCENT: "7a1f5c" }));
const { test, openPage } = site;

const PERMISSIONS = { permissions: ["clipboard-read", "clipboard-write"] };

/** The places of the button, and what is copied there. */
const PLACES = [
  { path: "/?q=data", heading: "Roadmap of Roadcast", says: /“data”: \d+ releases\./ },
  {
    path: "/changelog?kind=slipped",
    heading: "Changes to the roadmap of Roadcast",
    says: /Slipped from Q\d \d+ to Q\d \d+/,
  },
  {
    path: null,
    heading: "Vector search on existing tables",
    says: /Release date moved later, from Q/,
  },
];

async function pathOf(path: string | null): Promise<string> {
  if (path !== null) return path;
  const found = await fetch(`${site.url}/api/releases?q=vector+search+on+existing+tables`);
  const { data } = await found.json();
  return `/release/${data[0].release_item_id}`;
}

/** What a click copies, as an editor of HTML and a field for text take it. */
async function pasteFrom(page: Page) {
  const editor = await page.context().newPage();
  await editor.setContent(`<div id="html" contenteditable>Hello </div><textarea></textarea>`);
  for (const field of ["#html", "textarea"]) {
    await editor.locator(field).focus();
    await editor.keyboard.press("ControlOrMeta+End");
    await editor.keyboard.press("ControlOrMeta+V");
  }
  const pasted = await editor.evaluate(() => {
    const html = document.querySelector<HTMLElement>("#html")!;
    return {
      text: html.innerText,
      links: [...html.querySelectorAll("a")].map(({ href }) => href),
      tables: html.querySelectorAll("table").length,
      classes: html.querySelectorAll("[class]").length,
      colour: getComputedStyle(html.querySelector("a")!).color,
      pill: getComputedStyle(html.querySelector("td span")!).borderRadius,
      plain: document.querySelector("textarea")!.value,
    };
  });
  await editor.close();
  return pasted;
}

/** The link that copies, once the menu that it may be in is open. */
async function copyLink(page: Page): Promise<Locator> {
  const menu = page.locator(".menu.share:not([open]) > summary");
  if (await menu.count() > 0) await menu.click();
  return page.getByRole("link", { name: "Copy for email" });
}

for (const { path, heading, says } of PLACES) {
  const place = path ?? "a release";
  test(`The button of ${place} copies what /copy shows, to be pasted as HTML and as text`, async () => {
    const { page, faults, close } = await openPage(PERMISSIONS);
    await page.goto(await pathOf(path));
    const link = await copyLink(page);
    await link.click();
    await page.locator(".copy-email [role=status]", { hasText: "Copied" }).waitFor();
    const pasted = await pasteFrom(page);
    const address = (await link.getAttribute("href"))!;
    await page.goto(address);
    const shown = await page.locator("#copy").evaluate((copy) => ({
      links: [...copy.querySelectorAll("a")].map(({ href }) => href),
      plain: document.querySelector("pre")!.textContent,
    }));
    match(pasted.text, new RegExp(`^Hello\\s+${heading}\n`));
    match(pasted.text, says);
    match(pasted.plain, says);
    assertEquals({ links: pasted.links, plain: pasted.plain }, shown);
    ok(pasted.links.length > 0 && pasted.links.every((link) => link.startsWith(site.url)));
    ok(pasted.tables >= 1);
    const { classes, colour, pill } = pasted;
    assertEquals({ classes, colour, pill }, {
      classes: 0,
      colour: "rgb(122, 31, 92)",
      pill: "99px",
    });
    // Chromium examines what is copied by the policy of the page, and says so; it copies all of it.
    assertEquals(faults.filter((fault) => !fault.includes("Applying inline style")), []);
    await close();
  });

  test(`Without a script the button of ${place} leads to a page with the same`, async (page) => {
    await page.goto(await pathOf(path));
    await (await copyLink(page)).click();
    await page.getByRole("heading", { level: 2, name: heading }).waitFor();
    match(await page.locator("#copy").innerText(), says);
    match(await page.locator("pre").textContent() ?? "", says);
    assertEquals(
      await page.locator("#copy a").first().evaluate((link) => getComputedStyle(link).color),
      "rgb(122, 31, 92)",
    );
    await page.getByRole("link", { name: "Back", exact: true }).click();
    await (await copyLink(page)).waitFor();
    assertEquals(page.url(), site.url + await pathOf(path));
  }, { javaScriptEnabled: false });
}

test("What is copied follows a filter that is chosen without loading the page again", async () => {
  const { page, close } = await openPage(PERMISSIONS);
  for (const path of ["/", "/changelog"]) {
    await page.goto(path);
    const link = await copyLink(page);
    await link.click();
    const status = page.locator(".copy-email [role=status]");
    await status.filter({ hasText: "Copied" }).waitFor();
    await chooseFilter(page, "Product", "Peatstore");
    await page.locator('.copy-email a[href*="product_name=Peatstore"]').waitFor({
      state: "attached",
    });
    assertEquals(await status.textContent(), "");
    await page.keyboard.press("Escape");
    await (await copyLink(page)).click();
    await status.filter({ hasText: "Copied" }).waitFor();
    match((await pasteFrom(page)).plain, /^.*\n\nPeatstore/);
  }
  await page.goto("/?view=board");
  assertEquals(await page.locator(".copy-email").count(), 0);
  await close();
});

test("Where the clipboard or the server refuses, the page to select from opens", async () => {
  const refuse: ((page: Page) => Promise<unknown>)[] = [
    // No secure connection: there is no clipboard at all.
    (page) =>
      page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined })),
    (page) =>
      page.addInitScript(() => {
        navigator.clipboard.write = () => Promise.reject(new DOMException("No", "NotAllowedError"));
      }),
    (page) =>
      page.route(
        /\/copy\?/,
        (route) =>
          route.request().isNavigationRequest() ? route.continue() : route.fulfill({ status: 503 }),
      ),
  ];
  for (const refused of refuse) {
    const { page, close } = await openPage(PERMISSIONS);
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    await refused(page);
    await page.goto("/?q=data");
    await (await copyLink(page)).click();
    await page.getByRole("heading", { level: 1, name: "Copy for email" }).waitFor();
    assertEquals(page.url(), `${site.url}/copy?q=data`);
    assertEquals(errors, []);
    await close();
  }
});

test("Where the script that copies is gone, a link is followed and an address is shown", async () => {
  const { page, close } = await openPage(PERMISSIONS);
  await page.route(/\/assets\/copy-/, (route) => route.fulfill({ status: 404 }));
  const path = await pathOf(null);
  await page.goto(path);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator(".copy-link [role=status]", { hasText: site.url + path }).waitFor();
  await (await copyLink(page)).click();
  await page.getByRole("heading", { level: 1, name: "Copy for email" }).waitFor();
  await close();
});

test("A click with a key held opens the page in a new tab", async (page) => {
  await page.goto("/?q=data");
  const link = await copyLink(page);
  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    link.click({ modifiers: ["ControlOrMeta"] }),
  ]);
  await opened.getByRole("heading", { level: 1, name: "Copy for email" }).waitFor();
  assertEquals(page.url(), `${site.url}/?q=data`);
});

for (const { name, options } of LOOKS) {
  test(`/copy has no barriers and fits the window at ${name}`, async (page) => {
    for (
      const path of [
        "/copy",
        "/copy?of=changelog",
        (await pathOf(null)).replace("/release/", "/copy?release_item_id="),
      ]
    ) {
      await page.goto(path);
      await page.getByText("As plain text").click();
      assertEquals(await findBarriers(page), [], path);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      ok(width <= options.viewport.width, `${path}: ${width} px`);
    }
  }, options);
}
