import { ok } from "node:assert/strict";
import type { Page } from "playwright-core";
import { setTimeout as delay } from "node:timers/promises";
import { LOOKS, shareSite } from "../support/browser.ts";
import { sumShifts } from "../support/layout_shifts.ts";

const site = shareSite();
const { test, openPage } = site;

/** A cumulative layout shift too small to notice. */
const MAX_SHIFT = 0.02;

const widths = LOOKS.filter(({ options }) => options.colorScheme === "light")
  .map(({ options }) => options.viewport.width);

for (const width of [...widths, 768]) {
  test(`Nothing shifts after a page has loaded (${width} px)`, async () => {
    const paths = [
      "/",
      "/?q=the&release_status=Planned&release_status=Shipped&release_date_from=Q1+2026",
      "/?q=zzqqxx",
      "/?view=board",
    ];
    const { page, close } = await openPage({ viewport: { width, height: 800 } });
    for (const path of paths) {
      await page.goto(path, { waitUntil: "networkidle" });
      const shift = await sumShifts(page, { unexplained: true });
      ok(shift <= MAX_SHIFT, `${path} shifts by ${shift}`);
    }
    await close();
  });
}

test("Nothing shifts while a page arrives in chunks", async () => {
  await using slow = serveInPieces(site.url);
  const { page, close } = await openPage({
    baseURL: `http://127.0.0.1:${slow.addr.port}`,
    viewport: { width: 360, height: 800 },
  });
  for (const path of ["/", "/?view=board", "/changelog", "/insights"]) {
    await page.goto(path, { waitUntil: "networkidle" });
    const shift = await sumShifts(page);
    ok(shift <= MAX_SHIFT, `${path} shifts by ${shift}`);
  }
  await close();
});

/** Proxies a server, and sends its pages as slowly as a slow network would. */
function serveInPieces(origin: string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async ({ url }) => {
    const { pathname, search } = new URL(url);
    const response = await fetch(origin + pathname + search);
    const { status } = response;
    const type = response.headers.get("content-type")!;
    const bytes = await response.bytes();
    const body = type.startsWith("text/html") ? ReadableStream.from(cut(bytes)) : bytes;
    return new Response(body, { status, headers: { "content-type": type } });
  });
}

/** Yields chunks small and slow enough for a browser to paint in between. */
async function* cut(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let sent = 0; sent < bytes.length; sent += 1000) {
    yield bytes.subarray(sent, sent + 1000);
    await delay(50);
  }
}

test("The shift measurement detects a shift", async (page) => {
  await page.goto("/", { waitUntil: "networkidle" });
  await page.evaluate(() => {
    const block = document.createElement("div");
    block.style.height = "300px";
    document.body.prepend(block);
  });
  ok(await sumShifts(page, { unexplained: true }) > MAX_SHIFT);
});

/** A frame takes 1/60 s, so 100 ms are six of them. */
const MAX_FRAMES = 6;
const SEARCHES = ["ap", "appr", "approv", "the", "re", "con", "st"];

/**
 * Milliseconds from the arrival of the response whose URL contains `answer` to the paint of the
 * first frame in which the element that matches `changed` has changed.
 */
function measurePaint(page: Page, { answer, changed }: { answer: string; changed: string }) {
  return page.evaluate(({ answer, changed }) =>
    new Promise<number>((resolve) => {
      let arrived = Infinity;
      const painted: number[] = [];
      const finish = () => {
        const first = painted.find((moment) => moment >= arrived);
        if (first !== undefined) resolve(first - arrived);
      };
      new PerformanceObserver((list) => {
        const entries = list.getEntries() as PerformanceResourceTiming[];
        const entry = entries.find(({ name }) => name.includes(answer));
        if (!entry) return;
        arrived = entry.responseEnd;
        finish();
      }).observe({ type: "resource" });
      const notePaint = () =>
        requestAnimationFrame(() => {
          // A message is handled once the frame has been submitted for painting.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            painted.push(performance.now());
            finish();
          };
          port2.postMessage(null);
        });
      new MutationObserver(notePaint).observe(document.querySelector(changed)!, {
        childList: true,
        subtree: true,
        characterData: true,
      });
    }), { answer, changed });
}

test("Search results are painted about as soon as text on an empty page", async (page) => {
  let [of, than] = [Infinity, 0];
  // The minimum of all rounds, as other load on the machine only adds time.
  for (let round = 0; round < ROUNDS && isLate(of, than); round++) {
    of = Math.min(of, await paintSearch(page));
    than = Math.max(than, await paintEmpty(page));
  }
  console.log(`${of.toFixed(1)} ms beside ${than.toFixed(1)} ms of an empty page`);
  ok(!isLate(of, than), `${of} ms beside ${than} ms`);
});

const ROUNDS = 5;

const isLate = (of: number, than: number) => of / Math.max(than, 1000 / 60) > MAX_FRAMES;

/** The least time until the results of a search are painted. */
async function paintSearch(page: Page): Promise<number> {
  const times: number[] = [];
  await page.goto("/", { waitUntil: "networkidle" });
  for (const words of SEARCHES) {
    const painted = measurePaint(page, { answer: `search.json?q=${words}`, changed: ".search" });
    await page.getByLabel("Search releases").fill(words);
    times.push(await painted);
    await page.locator('.results[aria-busy="false"]').waitFor();
  }
  return Math.min(...times);
}

/** The least time until text on an empty page is painted. */
async function paintEmpty(page: Page): Promise<number> {
  const times: number[] = [];
  await page.goto("/health");
  for (const words of SEARCHES) {
    await page.evaluate(() => document.body.innerHTML = "<p id=place>");
    const painted = measurePaint(page, { answer: `q=empty-${words}`, changed: "#place" });
    await page.evaluate(async (words) => {
      const answer = await (await fetch(`/search.json?q=empty-${words}`)).text();
      document.querySelector("#place")!.textContent = answer.slice(0, 20);
    }, words);
    times.push(await painted);
  }
  return Math.min(...times);
}
