import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { runCommand } from "./command.ts";
import { copyMigrated, copyStarted } from "./databases.ts";
import { startServer } from "./server.ts";

/** For root without a screen, and without Chromium's own requests. */
const CHROMIUM_WORDS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  // A name for this machine that is not trusted like localhost.
  "--host-resolver-rules=MAP intranet.test 127.0.0.1",
];

/** What pages look like to different people. */
export const LOOKS = [360, 1280].flatMap((width) =>
  (["light", "dark"] as const).map((colorScheme) => ({
    name: `${width} px, ${colorScheme}`,
    options: { viewport: { width, height: 800 }, colorScheme },
  }))
);

/** Debian's, the one without a window first: the same engine takes two thirds of the processor time. */
const CHROMIUMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Starts a Chromium: the one that CHROMIUM names, or Debian's. */
export function startBrowser(): Promise<Browser> {
  const executablePath = Deno.env.get("CHROMIUM") || CHROMIUMS.find((path) => existsSync(path));
  return chromium.launch({ executablePath, args: CHROMIUM_WORDS });
}

/** A service with the sample roadmap, on an embedded database that is removed on disposal. */
export interface SampleServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a service with the sample roadmap, or with other items. */
export async function startSampleServer(
  settings: Record<string, string> = {},
  items?: readonly unknown[],
): Promise<SampleServer> {
  const folder = await Deno.makeTempDir();
  if (items) {
    await copyMigrated(`${folder}/data`);
    const file = `${folder}/items.json`;
    await Deno.writeTextFile(file, JSON.stringify(items));
    const { code, err } = await runCommand(["import", file], { DATA_DIR: `${folder}/data` });
    if (code !== 0) throw new Error(err);
    settings = { ...settings, DATA_DIR: `${folder}/data` };
  } else {
    await copyStarted(folder);
  }
  const server = await startServer({ DATA_DIR: folder, ...settings });
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** A page that records faults: console errors and requests to other hosts. */
export async function openPage(
  browser: Browser,
  { url }: SampleServer,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[]; close(): Promise<void> }> {
  const context = await browser.newContext({ baseURL: url, ...options });
  context.setDefaultTimeout(60_000); // a busy machine is slow
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== url) faults.push(`Request to ${request.url()}`);
  });
  return { page, faults, close: () => context.close() };
}

/** A Chromium and a service shared by the tests of a file. */
export interface SharedSite {
  /** The address of the service. */
  readonly url: string;
  /** Tests a page that is opened with these options and has no fault; a test that takes none opens its own. */
  test(name: string, fn: (page: Page) => Promise<void>, options?: BrowserContextOptions): void;
  openPage(options?: BrowserContextOptions): ReturnType<typeof openPage>;
}

/** Starts a Chromium and a service before the tests of a file, and stops both after them. */
export function shareSite(
  start: () => Promise<SampleServer> = () => startSampleServer(),
): SharedSite {
  let browser: Browser;
  let server: SampleServer;
  Deno.test.beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), start()]);
  });
  Deno.test.afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });
  return {
    get url() {
      return server.url;
    },
    test(name, fn, options) {
      const onPage = async () => {
        const { page, faults, close } = await openPage(browser, server, options);
        await fn(page);
        assertEquals(faults, []);
        await close();
      };
      // Both live longer than a test.
      const shared = { sanitizeOps: false, sanitizeResources: false };
      Deno.test({ name, fn: fn.length === 0 ? fn as () => Promise<void> : onPage, ...shared });
    },
    openPage: (options) => openPage(browser, server, options),
  };
}

/** Holds a script of the site back until the function that it returns is called. */
export async function delayScript(page: Page, name: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(new RegExp(`/assets/${name}-`), async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The axe-core violations of a page, one line each; its script bypasses the page's CSP. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Elements that are still fading have too little contrast.
  await page.evaluate(async () => {
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });
  if (!await page.evaluate(() => "axe" in globalThis)) {
    await page.evaluate(await Deno.readTextFile(AXE));
  }
  const violations = await page.evaluate(async () => {
    // deno-lint-ignore no-explicit-any
    const { violations } = await (globalThis as any).axe.run();
    return violations as { id: string; help: string; nodes: { html: string }[] }[];
  });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]!.html}`);
}

/** Chooses a value of a filter list, as a person does, and opens it where it is folded. */
export async function chooseFilter(page: Page, list: string, value: string): Promise<void> {
  const menu = page.locator(".facet").filter({
    has: page.locator("summary", { hasText: list }),
  });
  const box = menu.locator(`input[value="${value}"]`);
  const fold = page.locator(".fold > summary");
  if (await fold.isVisible() && await page.locator(".fold[open]").count() === 0) await fold.click();
  if (!await box.isVisible()) await menu.locator("summary").click();
  await box.check();
}
