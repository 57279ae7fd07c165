import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { makeItem } from "../support/app.ts";
import { findBarriers, shareSite, startSampleServer } from "../support/browser.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

/** The line from the documentation. */
const [, LINE] = /```html\n(<script[^`]*unread\.js[^`]*)```/.exec(
  await Deno.readTextFile(new URL("../../docs/pages.md", import.meta.url)),
)!;

/** Two products' pages on other origins; only the first may show the bell. */
const [listed, other] = [startProduct(), startProduct()];

const site = shareSite(async () => {
  const server = await startSampleServer({
    EMBED_ORIGINS: originOf(listed),
    ADMIN_TOKEN,
    SITE_ACCENT: "7a1f5c",
    SITE_NAME: 'Acme "Roadmap" </script>',
  });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await Promise.all([server[Symbol.asyncDispose](), listed.shutdown(), other.shutdown()]);
    },
  };
});
const { test, openPage } = site;

/** A page with a strict policy, as products have it. */
function startProduct() {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    const line = LINE!.replace("https://roadmap.example.com", site.url)
      .replace(/\?[^"]*/, "?product_name=Bells");
    const html =
      `<!doctype html><html lang="en"><title>Product</title><main><h1>Product</h1>${line}`;
    const policy = `default-src 'none'; script-src ${site.url}; connect-src ${site.url}; ` +
      `frame-src ${site.url}`;
    return new Response(html, {
      headers: { "Content-Type": "text/html", "Content-Security-Policy": policy },
    });
  });
}

function originOf({ addr }: Deno.HttpServer<Deno.NetAddr>): string {
  return `http://127.0.0.1:${addr.port}`;
}

/** Imports releases of the bell's product, and one of another product, with these names. */
async function importNamed(names: string[]): Promise<void> {
  const items = names.map((feature_name, place) =>
    makeItem(place + 1, { feature_name, product_name: "Bells" })
  );
  const elsewhere = makeItem(99, { feature_name: names.join(), product_name: "Whistles" });
  const response = await fetch(`${site.url}/api/import?source=bells&announce=true`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify([...items, elsewhere]),
  });
  assertEquals([response.status, await response.text()].at(0), 200);
}

test("A bell on another site counts what changed since its list was opened", async () => {
  await importNamed(["One", "Two", "Three"]);
  const { page, faults, close } = await openPage();
  await page.goto(originOf(listed));
  const bell = page.getByRole("button", { name: 'Acme "Roadmap" </script>' });
  await bell.waitFor();
  await page.waitForFunction(() => localStorage.length === 1);
  assertEquals(await bell.innerText(), "");
  await importNamed(["One, later", "Two, later", "Three"]);
  await page.reload();
  const changed = page.getByRole("button", { name: /: 2 releases changed$/ });
  await changed.waitFor();
  assertEquals(await changed.innerText(), "2");
  const colour = await page.locator("b").evaluate((badge) =>
    getComputedStyle(badge).backgroundColor
  );
  assertEquals(colour, "rgb(122, 31, 92)");
  assertEquals(await findBarriers(page), []);

  await changed.press("Enter");
  const list = page.frameLocator("iframe");
  await list.getByText("One, later").waitFor();
  assertEquals(await list.locator(".release-row").count(), 3);
  assertEquals(await bell.getAttribute("aria-expanded"), "true");
  await bell.press("Escape");
  ok(await page.locator("iframe").isHidden());
  assertEquals(await bell.getAttribute("aria-expanded"), "false");
  await page.reload();
  await bell.waitFor();
  assertEquals([await bell.innerText(), await page.context().cookies()], ["", []]);
  const hosts = [site.url, originOf(listed)];
  assertEquals(
    faults.filter((fault) => !hosts.some((url) => fault.startsWith(`Request to ${url}`))),
    [],
  );
  await close();
});

test("A cursor that the server does not know starts the count again", async () => {
  const { page, close } = await openPage();
  await page.goto(originOf(listed));
  await page.waitForFunction(() => localStorage.length === 1);
  await page.evaluate(() => localStorage.setItem(localStorage.key(0)!, "nonsense"));
  await page.reload();
  await page.waitForFunction(() => localStorage.getItem(localStorage.key(0)!) !== "nonsense");
  await close();
});

test("A site that is not listed shows no bell, and its console says why", async () => {
  const { page, close } = await openPage();
  const warned = page.waitForEvent("console", (message) => message.type() === "warning");
  await page.goto(originOf(other));
  assertEquals(
    (await warned).text(),
    `Roadcast: add ${originOf(other)} to EMBED_ORIGINS to show the bell here`,
  );
  assertEquals(await page.getByRole("button").count(), 0);
  await close();
});

test("The bell takes at most 2 KB on the way", async () => {
  const script = await (await fetch(`${site.url}/unread.js`)).text();
  const sizes = [gzipSync(script).length, brotliCompressSync(script).length];
  ok(Math.max(...sizes) <= 2_048, `${sizes} bytes by gzip and Brotli`);
  match(script, /"light":"#7a1f5c"/);
});
