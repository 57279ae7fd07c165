import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Request,
} from "playwright-core";
import { ROUTES } from "../../routes/table.ts";
import { startBrowser, startSampleServer } from "./browser.ts";
import { type Hand, listControls, prepare, press, settle } from "./pressing.ts";
import { linkOf, startMailServer } from "./servers/mail_server.ts";
import { ADMIN_TOKEN, startOperatorAt } from "./subjects/operator.ts";
import { waitFor } from "./wait_for.ts";

/** Pages that look different by their parameters, beside those that links of other pages lead to. */
const VARIANTS = [
  "/?view=board",
  "/?view=board&group=status",
  "/?q=the&release_status=Planned&release_status=Shipped",
  "/?as_of=2026-09-01",
  "/compare?from=2026-06-01&to=2026-08-22",
  "/copy",
  "/admin/email?kind=preferences",
];
/**
 * What a browser says of what is meant: what is copied has its styles in its elements, and the frame
 * of a preview runs no script.
 */
const MEANT = /status of 4\d\d|Applying inline style|Blocked script execution/;

/** Where the controls stand that each page has. */
const FRAME =
  /site-header|admin-bar|admin-top|admin-footer|bar \| footer|theme-switch|search-field|\| skip/;

const WIDE = { viewport: { width: 1280, height: 900 } };
const LOOKS: Readonly<Record<Hand, BrowserContextOptions>> = {
  mouse: WIDE,
  translated: WIDE,
  keyboard: WIDE,
  finger: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
};

/** A service with the sample, an operator's session, a browser, and every page of the table of routes. */
export interface EveryPage extends AsyncDisposable {
  /** The addresses of pages, by route. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
  /** A window of an operator who is signed in. */
  signedIn(look: BrowserContextOptions): Promise<BrowserContext>;
  readonly url: string;
}

/** Starts the service and the browser, and finds the pages. */
export async function startEveryPage(): Promise<EveryPage> {
  const mail = await startMailServer();
  const [browser, server] = await Promise.all([
    startBrowser(),
    startSampleServer({
      SMTP_URL: mail.url,
      MAIL_FROM: "roadmap@example.com",
      ADMIN_TOKEN,
      EMBED_ORIGINS: "https://docs.example.com",
    }),
  ]);
  const { cookie = "" } = await startOperatorAt(server);
  const links = await linksOfMails(server.url, mail);
  return {
    url: server.url,
    pages: await findPages(server.url, cookie, links),
    signedIn: (look) => signedIn(browser, { baseURL: server.url, locale: "en-US", ...look }),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
      await mail[Symbol.asyncDispose]();
    },
  };
}

/**
 * Tests that every control works as this hand presses it. Of each page it presses, types into or
 * chooses one of each kind: of the entries of a list one, of the values of a filter one, and of the
 * frame around all pages what it has on the first of them and on the first one beside the search.
 * What no script attends to, a plain link, does the same for every hand: only the mouse presses it.
 */
export function testEveryControl(hand: Hand): void {
  Deno.test(`Every control works as it is pressed (${hand})`, async () => {
    await using site = await startEveryPage();
    const { faults, count } = await pressAll(site, hand);
    assertEquals(faults, []);
    ok(count > 100, `${count} controls were pressed`);
  });
}

async function pressAll(site: EveryPage, hand: Hand): Promise<{ faults: string[]; count: number }> {
  const context = await site.signedIn(LOOKS[hand]);
  const faults: string[] = [];
  const pressed = new Set<string>();
  const followed = new Set<string>();
  let count = 0;
  let tab = await openTab(context, faults);
  /** A page as it was; in a new tab where this one has crashed, or something is still on its way to it. */
  const show = async (address: string) => {
    try {
      await Promise.race([goTo(tab.page, address, hand), tab.lost]);
    } catch {
      void tab.page.close().catch(() => {});
      tab = await openTab(context, faults);
      await goTo(tab.page, address, hand);
    }
    tab.stay();
  };
  for (const address of [...site.pages.values()].flat()) {
    await show(address);
    let isAsItWas = true;
    for (const control of await listControls(tab.page)) {
      if (!control.isScripted && hand !== "mouse") continue;
      const isOwn = control.href === "" || control.href.startsWith(site.url);
      const [path] = address.split("?");
      const place = FRAME.test(control.kind) ? path === "/" : path;
      const key = `${place} ${control.kind}`;
      if (!isOwn || pressed.has(key) || /Sign out/.test(control.kind)) continue;
      pressed.add(key);
      if (!isAsItWas) await show(address);
      const before = faults.length;
      try {
        const found = await Promise.race([press(tab.page, control, hand), tab.lost]);
        if (found !== null) count++;
        faults.push(...found ?? []);
        if (!control.isScripted && !followed.has(control.href)) {
          followed.add(control.href);
          faults.push(...await follow(context, control.href));
        }
      } catch (error) {
        // It led to another page in the middle of a question to this one.
        const [words = ""] = (error as Error).message.split("\n");
        if (!words.includes("context was destroyed")) faults.push(words);
      }
      const hasGone = await tab.hasGone();
      if (!hasGone) await tab.isAtRest();
      for (let at = before; at < faults.length; at++) {
        faults[at] = `${hand} on ${address}: ${control.kind}: ${faults[at]}`;
      }
      const isElsewhere = hasGone || tab.page.url() !== new URL(address, site.url).href;
      isAsItWas = faults.length === before && !isElsewhere;
      // As a browser does it with what a script has written.
      if (isAsItWas && hand === "translated") await tab.page.evaluate(() => net.translate());
    }
  }
  await context.close();
  return { faults, count };
}

/** What is wrong with where a link leads to. */
async function follow(context: BrowserContext, href: string): Promise<string[]> {
  const response = await context.request.get(href);
  await response.dispose();
  return response.ok() ? [] : [`${href} is ${response.status()}`];
}

async function goTo(page: Page, address: string, hand: Hand): Promise<void> {
  await page.goto(address);
  if (page.url().includes("/admin/sign-in") && !address.includes("sign-in")) {
    await signIn(page);
    await page.goto(address);
  }
  await settle(page);
  if (hand === "translated") await page.evaluate(() => net.translate());
}

interface Tab {
  readonly page: Page;
  /** Fails when the tab crashes; nothing of such a tab is ever answered. */
  readonly lost: Promise<never>;
  /** Whether another page was asked for since `stay`; its answer has arrived then. */
  hasGone(): Promise<boolean>;
  stay(): void;
  /** Waits until what a script has asked for has arrived: it may move what is pressed next. */
  isAtRest(): Promise<void>;
}

/** A page that notes what must never happen. */
async function openTab(context: BrowserContext, faults: string[]): Promise<Tab> {
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await prepare(page);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  page.on("crash", () => reject(new Error("the tab crashed")));
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" && !MEANT.test(message.text())) faults.push(message.text());
  });
  page.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.url()} is ${response.status()}`);
  });
  page.on("dialog", (dialog) => void dialog.dismiss());
  let asked: Request | null = null;
  const open = new Set<Request>();
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("request", (request) => {
    open.add(request);
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) asked = request;
  });
  const hasGone = async () => {
    if (asked === null) return false;
    // A download has no answer that a page sees.
    const { promise: tooLong, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, 10_000);
    await Promise.race([asked.response().catch(() => null), tooLong]);
    clearTimeout(timer);
    return true;
  };
  const stay = () => {
    asked = null;
    open.clear();
  };
  const isAtRest = () => waitFor("what a script has asked for", () => open.size === 0);
  return { page, lost, hasGone, stay, isAtRest };
}

async function signedIn(browser: Browser, look: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await page.goto("/admin/sign-in");
  await signIn(page);
  await page.close();
  return context;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Token").fill(ADMIN_TOKEN);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
}

/** The pages of the table of routes: those without parameters, and for each other a link of a page. */
async function findPages(
  url: string,
  cookie: string,
  links: readonly string[],
): Promise<Map<string, string[]>> {
  const routes = ROUTES.filter(({ method, errors }) => method === "GET" && errors === "page").map((
    { path },
  ) => ({ path, pattern: new RegExp(`^${path.replaceAll(/:\w+({[^}]+})?/g, "[^/]+")}$`) }));
  const routeOf = (pathname: string) => routes.find(({ pattern }) => pattern.test(pathname));
  const found = new Map(routes.map(({ path }): [string, string[]] => [path, []]));
  const queue = [
    ...routes.map(({ path }) => path).filter((path) => !path.includes(":")),
    ...VARIANTS,
    ...links,
  ];
  const seen = new Set<string>();
  for (const address of queue) {
    const response = await fetch(url + address, { headers: { cookie } });
    const html = await response.text();
    const route = routeOf(new URL(address, url).pathname);
    if (!route || !response.headers.get("content-type")?.startsWith("text/html")) continue;
    if (response.ok) found.get(route.path)!.push(address);
    for (const [, href] of html.matchAll(/<a\b[^>]* href="([^"]*)"/g)) {
      const { origin, pathname, search } = new URL(href!.replaceAll("&amp;", "&"), response.url);
      const linked = routeOf(pathname);
      const isPlain = linked?.path === pathname && search === "";
      if (origin !== url || !linked || isPlain || seen.has(linked.path)) continue;
      seen.add(linked.path);
      queue.push(pathname + search);
    }
  }
  return found;
}

/** The links of the emails of a subscription, which lead to its confirmation and its preferences. */
async function linksOfMails(
  url: string,
  mail: Awaited<ReturnType<typeof startMailServer>>,
): Promise<string[]> {
  const body = JSON.stringify({ email: "net@example.com" });
  const headers = { "Content-Type": "application/json" };
  const paths: string[] = [];
  const requests = [
    ["/api/subscribe", "/verify-email"],
    ["/api/send-preferences-link", "/preferences"],
  ] as const;
  for (const [path, page] of requests) {
    await (await fetch(url + path, { method: "POST", headers, body })).body?.cancel();
    const received = await mail.receive(paths.length + 1);
    const link = linkOf(received.at(-1)!, page);
    paths.push(page + new URL(link).search);
    await (await fetch(link)).body?.cancel();
  }
  const token = new URL(paths[1]!, url).searchParams.get("token")!;
  return [...paths, `/unsubscribe?token=${token}`];
}
