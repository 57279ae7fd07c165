import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { ROUTES } from "../../routes/table.ts";
import { startBrowser, startSampleServer } from "../support/browser.ts";
import { type Hand, listControls, prepare, press, settle } from "../support/pressing.ts";
import { linkOf, startMailServer } from "../support/servers/mail_server.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

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
/** What no link leads to without a state that only other tests make, and what is no page. */
const UNREACHED = [
  "/digest",
  "/admin/source/fields",
  "/admin/upload",
  "/admin/upload/fields",
  "/admin/email/body",
  "/admin/webhook",
];
/**
 * What a browser says of what is meant: what is copied has its styles in its elements, and the frame
 * of a preview runs no script.
 */
const MEANT = /status of 4\d\d|Applying inline style|Blocked script execution/;

/** Where the controls stand that each page has. */
const FRAME =
  /site-header|admin-bar|admin-top|admin-footer|bar \| footer|theme-switch|search-field|\| skip/;

const LOOKS: Readonly<Record<Hand, object>> = {
  mouse: { viewport: { width: 1280, height: 900 } },
  translated: { viewport: { width: 1280, height: 900 } },
  keyboard: { viewport: { width: 1280, height: 900 } },
  finger: {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  },
};

let browser: Browser;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let server: Awaited<ReturnType<typeof startSampleServer>>;
/** The addresses of pages, by route. */
let pages: Map<string, string[]>;

Deno.test.beforeAll(async () => {
  mail = await startMailServer();
  const settings = {
    SMTP_URL: mail.url,
    MAIL_FROM: "roadmap@example.com",
    ADMIN_TOKEN,
    EMBED_ORIGINS: "https://docs.example.com",
  };
  [browser, server] = await Promise.all([
    startBrowser(),
    startSampleServer(settings),
  ]);
  pages = await findPages();
});
Deno.test.afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

Deno.test({
  name: "Every page of the table of routes is reached by links",
  sanitizeOps: false,
  sanitizeResources: false,
  fn() {
    const missing = [...pages].filter(([, addresses]) => addresses.length === 0);
    assertEquals(missing.map(([path]) => path), UNREACHED);
  },
});

for (const hand of Object.keys(LOOKS) as Hand[]) {
  Deno.test({
    name: `Every control works as it is pressed (${hand})`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const { faults, count } = await pressAll(hand);
      assertEquals(faults, []);
      ok(count > 100, `${count} controls were pressed`);
    },
  });
}

for (const width of [320, 360, 1280]) {
  Deno.test({
    name: `No page leaves a window of ${width} px, with everything open that opens`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const context = await signedIn({ viewport: { width, height: 740 } });
      const page = await context.newPage();
      const faults: string[] = [];
      for (const address of [...pages.values()].flat()) {
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
        if (wide > width) faults.push(`${address} is ${wide} px wide`);
        for (const menu of cut) faults.push(`${address}: “${menu}” opens beyond the left edge`);
      }
      assertEquals(faults, []);
      await context.close();
    },
  });
}

/**
 * Presses one of each kind of control, and lists what went wrong: of the entries of a list one, of
 * the values of a filter one, and of the frame around all pages what it has on the first of them and
 * on the first one beside the search.
 */
async function pressAll(
  hand: Hand,
): Promise<{ faults: string[]; count: number }> {
  const context = await signedIn(LOOKS[hand]);
  const faults: string[] = [];
  const pressed = new Set<string>();
  let count = 0;
  let tab = await openPage(context, faults);
  /** A new tab: an answer may be on its way to this one, and one that has crashed does not close. */
  const openAgain = async (address: string) => {
    void tab.page.close().catch(() => {});
    tab = await openPage(context, faults);
    await show(tab.page, address, hand);
    tab.stay();
  };
  for (const address of [...pages.values()].flat()) {
    await openAgain(address);
    for (const control of await listControls(tab.page)) {
      // A link that no script attends to does the same for every hand.
      if (!control.isScripted && hand !== "mouse") continue;
      const isOwn = control.href === "" || control.href.startsWith(server.url);
      const [path] = address.split("?");
      const place = FRAME.test(control.kind) ? path === "/" : path;
      const key = `${place} ${control.kind}`;
      if (!isOwn || pressed.has(key) || /Sign out/.test(control.kind)) continue;
      pressed.add(key);
      const where = `${hand} on ${address}: ${control.kind}`;
      const before = faults.length;
      try {
        const found = await Promise.race([press(tab.page, control, hand), tab.lost]);
        if (found !== null) count++;
        for (const fault of found ?? []) faults.push(`${where}: ${fault}`);
      } catch (error) {
        // It led to another page in the middle of a question to this one.
        const [words = ""] = (error as Error).message.split("\n");
        if (!words.includes("context was destroyed")) faults.push(`${where}: ${words}`);
      }
      const hasGone = await tab.hasGone();
      for (let at = before; at < faults.length; at++) {
        if (!faults[at]!.startsWith(where)) {
          faults[at] = `${where}: ${faults[at]}`;
        }
      }
      const isElsewhere = hasGone || tab.page.url() !== new URL(address, server.url).href;
      if (faults.length > before || isElsewhere || hand === "translated") await openAgain(address);
    }
  }
  await context.close();
  return { faults, count };
}

async function show(page: Page, address: string, hand: Hand): Promise<void> {
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
  /** Fails when the tab crashes. */
  readonly lost: Promise<never>;
  /** Whether another page was asked for since `stay`; its answer has arrived then. */
  hasGone(): Promise<boolean>;
  stay(): void;
}

/** A page that notes what must never happen; nothing of a tab that has crashed is ever answered. */
async function openPage(
  context: BrowserContext,
  faults: string[],
): Promise<Tab> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await prepare(page);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  page.on("crash", () => reject(new Error("the tab crashed")));
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    if (message.type() === "error" && !MEANT.test(message.text())) faults.push(message.text());
  });
  page.on("response", (response) => {
    if (response.status() >= 500) {
      faults.push(`${response.url()} is ${response.status()}`);
    }
  });
  page.on("dialog", (dialog) => void dialog.dismiss());
  let asked: Request | null = null;
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) asked = request;
  });
  const hasGone = async () => {
    const tooLong = new Promise((resolve) => setTimeout(resolve, 10_000));
    if (asked !== null) await Promise.race([asked.response().catch(() => null), tooLong]);
    return asked !== null;
  };
  return { page, lost, hasGone, stay: () => void (asked = null) };
}

async function signedIn(look: object): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: server.url,
    locale: "en-US",
    ...look,
  });
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
async function findPages(): Promise<Map<string, string[]>> {
  const routes = ROUTES.filter(({ method, errors }) => method === "GET" && errors === "page")
    .map(({ path }) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/:\w+({[^}]+})?/g, "[^/]+")}$`),
    }));
  const found = new Map(
    routes.map(({ path }): [string, string[]] => [path, []]),
  );
  const queue = [
    ...routes.map(({ path }) => path).filter((path) => !path.includes(":")),
    ...VARIANTS,
    ...await linksOfMails(),
  ];
  const context = await signedIn({});
  const page = await context.newPage();
  const seen = new Set<string>();
  for (const address of queue) {
    const response = await page.goto(address).catch((error: Error) => {
      if (error.message.includes("Download is starting")) return null; // what is no page
      throw error;
    });
    const { pathname } = new URL(address, server.url);
    const route = routes.find(({ pattern }) => pattern.test(pathname));
    if (
      !route || !response?.headers()["content-type"]?.startsWith("text/html")
    ) continue;
    if (response.ok()) found.get(route.path)!.push(address);
    const links = await page.evaluate(() =>
      [...document.querySelectorAll("a[href]")].map((link) =>
        new URL(link.getAttribute("href")!, location.href).href
      )
    );
    for (const link of links) {
      const { origin, pathname, search } = new URL(link);
      const linked = routes.find(({ pattern }) => pattern.test(pathname));
      const isPlain = linked?.path === pathname && search === "";
      if (
        origin !== server.url || !linked || isPlain || seen.has(linked.path)
      ) continue;
      seen.add(linked.path);
      queue.push(pathname + search);
    }
  }
  await context.close();
  return found;
}

/** The links of the emails of a subscription, which lead to its confirmation and its preferences. */
async function linksOfMails(): Promise<string[]> {
  const email = "net@example.com";
  const body = JSON.stringify({ email });
  const headers = { "Content-Type": "application/json" };
  const paths: string[] = [];
  for (
    const [path, page] of [
      ["/api/subscribe", "/verify-email"],
      ["/api/send-preferences-link", "/preferences"],
    ] as const
  ) {
    await (await fetch(server.url + path, { method: "POST", headers, body }))
      .body?.cancel();
    const received = await mail.receive(paths.length + 1);
    const link = linkOf(received.at(-1)!, page);
    paths.push(page + new URL(link).search);
    const confirmed = await fetch(link);
    await confirmed.body?.cancel();
  }
  const token = new URL(paths[1]!, server.url).searchParams.get("token")!;
  return [...paths, `/unsubscribe?token=${token}`];
}
