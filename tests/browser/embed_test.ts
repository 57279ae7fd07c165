import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import { findBarriers, LOOKS, shareSite, startSampleServer } from "../support/browser.ts";

/** The snippet from the documentation. */
const [, SNIPPET] = /```html\n([^]*?)```/.exec(
  await Deno.readTextFile(new URL("../../docs/pages.md", import.meta.url)),
)!;
/** Records the messages that the page receives. */
const COUNT = "<script>messages = []; onmessage = ({ data }) => messages.push(data);</script>";

/** Two sites on other origins; only the first may embed the roadmap. */
const [listed, other] = [startAround(), startAround()];

const site = shareSite(async () => {
  const EMBED_ORIGINS = `https://example.com ${originOf(listed)}`;
  const server = await startSampleServer({ EMBED_ORIGINS });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([server[Symbol.asyncDispose](), listed.shutdown(), other.shutdown()]);
    },
  };
});
const { test, openPage } = site;

function startAround() {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const snippet = SNIPPET!.replaceAll("https://roadmap.example.com", site.url);
    const html = `<!doctype html><title>Around</title><h1>Around</h1>${COUNT}${snippet}`;
    return new Response(html, { headers: { "Content-Type": "text/html" } });
  });
}

function originOf({ addr }: Deno.HttpServer<Deno.NetAddr>): string {
  return `http://127.0.0.1:${addr.port}`;
}

function messagesOf(page: Page): Promise<{ type: string; height: number }[]> {
  return page.evaluate("messages") as ReturnType<typeof messagesOf>;
}

/** Waits until the frame is exactly as high as its content, and returns that height. */
async function waitForFit(page: Page, frame: Frame): Promise<number> {
  const element = await page.waitForSelector("#roadmap");
  for (let messages = 1;; messages++) {
    await page.waitForFunction(`messages.length >= ${messages}`);
    const [outer, inner] = await Promise.all([
      element.evaluate((frame) => frame.clientHeight),
      frame.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height)),
    ]);
    if (outer === inner) return outer;
  }
}

test("A page of a listed origin shows the list at full height, and links open in new tabs", async () => {
  const { page, faults, close } = await openPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(originOf(listed));
  const frame = (await (await page.waitForSelector("#roadmap")).contentFrame())!;
  await frame.locator(".release-row").first().waitFor();
  const wide = await waitForFit(page, frame);
  ok(wide > 600, String(wide));
  await page.setViewportSize({ width: 320, height: 900 });
  await page.waitForFunction((wide) => document.querySelector("iframe")!.clientHeight > wide, wide);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.waitForFunction(
    (wide) => document.querySelector("iframe")!.clientHeight === wide,
    wide,
  );
  const messages = await messagesOf(page);
  assertEquals(messages.at(-1), { type: "roadcast:height", height: wide });
  const link = frame.locator("h3 a").first();
  const name = await link.innerText();
  const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await opened.getByRole("heading", { level: 1, name }).waitFor();
  assertEquals(await opened.evaluate(() => globalThis.opener), null);
  match(page.url(), new RegExp(originOf(listed)));
  assertEquals(await page.context().cookies(), []);
  assertEquals(await frame.evaluate(() => localStorage.length), 0);
  const ownHosts = [site.url, originOf(listed)];
  assertEquals(
    faults.filter((fault) => !ownHosts.some((url) => fault.startsWith(`Request to ${url}`))),
    [],
  );
  await close();
});

test("A page of another origin shows nothing and gets no message, even without the CSP header", async () => {
  const { page, close } = await openPage();
  const blocked = page.waitForEvent("console", (message) => /frame-ancestors/.test(message.text()));
  await page.goto(originOf(other));
  await blocked;
  const frame = (await (await page.waitForSelector("#roadmap")).contentFrame())!;
  assertEquals(await frame.locator(".release-row").count(), 0);
  assertEquals(await messagesOf(page), []);
  await page.route(`${site.url}/embed?*`, async (route) => {
    const response = await route.fetch();
    const { "content-security-policy": _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  const origins = ["https://example.com", originOf(listed)];
  const refused = origins.map((origin) =>
    page.waitForEvent(
      "console",
      (message) => message.text().includes(`('${origin}') does not match`),
    )
  );
  await page.reload();
  await Promise.all(refused);
  assertEquals(await messagesOf(page), []);
  await close();
});

test("Without scripts the list is shown in a frame of its initial height", async () => {
  const { page, close } = await openPage({ javaScriptEnabled: false });
  await page.goto(originOf(listed));
  const frame = page.frameLocator("#roadmap");
  await frame.locator(".release-row").first().waitFor();
  assertEquals((await page.locator("#roadmap").boundingBox())!.height, 600);
  await close();
});

for (const { name, options } of LOOKS) {
  test(`The embedded list is accessible (${name})`, async (page) => {
    for (const query of ["", "?theme=light", "?theme=dark", "?q=approval&sort=release_date"]) {
      await page.goto(`/embed${query}`);
      await page.locator(".release-row").first().waitFor();
      assertEquals(await findBarriers(page), [], query);
      const { scroll, width, scheme } = await page.evaluate(() => ({
        scroll: document.documentElement.scrollWidth,
        width: innerWidth,
        scheme: getComputedStyle(document.documentElement).colorScheme,
      }));
      ok(scroll <= width);
      assertEquals(scheme, /theme=(\w+)/.exec(query)?.[1] ?? "light dark");
    }
  }, options);
}
