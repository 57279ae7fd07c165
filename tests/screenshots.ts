/**
 * `deno task screenshots`: makes the pictures of the documentation, so that they stay true: pages
 * from the sample roadmap as a fresh start shows it, a mail and a chat message from a real digest.
 */
import { escapeHtml } from "../lib/delivery/webhooks/chat_formats.ts";
import type { BrowserContextOptions, Page } from "playwright-core";
import { importItems, makeItem } from "./support/app.ts";
import { openPage, startBrowser, startSampleServer } from "./support/browser.ts";
import { openMigratedEmbedded } from "./support/databases.ts";
import { startDigests } from "./support/subjects/digests.ts";
import { startReceiver, startWebhooks } from "./support/subjects/webhooks.ts";

const FOLDER = new URL("../docs/pictures/", import.meta.url).pathname;
/** GitHub shows larger ones late. */
const MAX_BYTES = 200_000;

const WINDOW = { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" } as const;
/** A release of the sample whose date moved. */
const RELEASE = "7c0f5337-4c14-4095-b12e-72d06f5f5e6a";
const PAGES: [name: string, path: string, options?: BrowserContextOptions][] = [
  ["roadmap-light", "/"],
  ["roadmap-dark", "/", { colorScheme: "dark" }],
  ["board", "/?view=board"],
  ["changelog", "/changelog"],
  ["release", `/release/${RELEASE}`],
  ["insights", "/insights"],
  ["subscribe", "/subscribe"],
  ["phone", "/", { viewport: { width: 390, height: 780 } }],
];

const SITE_NAME = "Acme Roadmap";

await using browser = await startBrowser();
await takePages();
const { mail, message } = await writeNews();
await takeContent("mail", mail, "body");
await takeContent("slack", message, "main");

async function takePages(): Promise<void> {
  await using server = await startSampleServer({ BASE_URL: "https://roadmap.example.com" });
  for (const [name, path, options] of PAGES) {
    const { page, close } = await openPage(browser, server, { ...WINDOW, ...options });
    await page.goto(path, { waitUntil: "networkidle" });
    await save(page, name);
    await close();
  }
  await takeContent("badge", drawBadges(server.url), "main");
  const picture = `${server.url}/release/${RELEASE}/picture.png`;
  await takeContent("link", `<img width="600" height="315" src="${picture}" alt="">`, "img");
}

/** The badge on the backgrounds of GitHub's themes. */
function drawBadges(url: string): string {
  const rows = ["#ffffff", "#0d1117"].map((background) => {
    const badges = ["", "?product_name=Marshwren%20SDK"].map((query) =>
      `<img src="${url}/badge.svg${query}" alt=""> `
    );
    return `<p style="margin:0;padding:16px;background:${background}">${badges.join("")}</p>`;
  });
  return `<body style="margin:0"><main style="width:440px">${rows.join("")}</main>`;
}

/** A part of a document that is no page of the site. */
async function takeContent(name: string, html: string, selector: string) {
  const page = await browser.newPage({ viewport: { width: 680, height: 600 } });
  await page.setContent(html, { waitUntil: "networkidle" });
  await save(page, name, await page.locator(selector).boundingBox() ?? undefined);
  await page.close();
}

async function save(page: Page, name: string, clip?: { height: number; width: number }) {
  const png = await page.screenshot(clip && { clip: { x: 0, y: 0, ...clip }, fullPage: true });
  const picture = await toWebp(png);
  if (picture.length > MAX_BYTES) throw new Error(`${name} has ${picture.length} bytes`);
  await Deno.writeFile(`${FOLDER}${name}.webp`, picture);
  console.log(`Wrote ${name}.webp, ${picture.length} bytes`);
}

/** A picture as WebP, a third of the size. */
async function toWebp(png: Uint8Array): Promise<Uint8Array> {
  const page = await browser.newPage();
  const webp = await page.evaluate(async (source) => {
    const bitmap = await createImageBitmap(await (await fetch(source)).blob());
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext("2d")!.drawImage(bitmap, 0, 0);
    return canvas.toDataURL("image/webp", 0.92);
  }, `data:image/png;base64,${png.toBase64()}`);
  await page.close();
  return Uint8Array.fromBase64(webp.split(",")[1]!);
}

/** What a subscriber and a channel get of an import in which something of each kind happens. */
async function writeNews(): Promise<{ mail: string; message: string }> {
  const search = makeItem(1, {
    feature_name: "Vector search",
    product_name: "Search",
    feature_description: "Find what means the same, in any language. It needs no new index.",
  });
  const theme = makeItem(2, {
    feature_name: "Dark theme for reports",
    product_name: "Reports",
    feature_description: "Reports follow the light or dark theme of the device.",
  });
  const alerts = makeItem(3, {
    feature_name: "Alerts by text message",
    product_name: "Alerts",
    feature_description: "Send an alert to a phone.",
  });
  const passkeys = makeItem(4, {
    feature_name: "Sign-in with passkeys",
    product_name: "Accounts",
    feature_description: "Sign in with the fingerprint or the face that unlocks your device.",
  });
  const database = await openMigratedEmbedded();
  await using receiver = startReceiver();
  await using webhooks = startWebhooks(database, { settings: { SITE_NAME } });
  await using digests = await startDigests(database, {
    SITE_NAME,
    BASE_URL: "https://roadmap.example.com",
  });
  await importItems(database, [search, theme, alerts]);
  await digests.verify("ann@example.com", {}, "");
  await webhooks.add(`${receiver.url}/slack`, { kind: "slack", name: "slack" });
  await webhooks.import([
    { ...search, release_date: "Q1 2027" },
    { ...theme, release_status: "Shipped" },
    { ...alerts, release_date: "Q4 2026" },
    passkeys,
  ]);
  await webhooks.send();
  const [digest] = await digests.digest();
  await database.close();
  const { blocks } = JSON.parse(receiver.received[0]!.body);
  return { mail: digest!.html!, message: drawSlackMessage(SITE_NAME, blocks) };
}

/** A block of rich text of a Slack message (Block Kit). */
interface Section {
  elements: { elements: { text: string; url?: string; style?: { bold: boolean } }[] }[];
}

/** Draws a Slack message from its blocks: our own drawing and font, not a picture of Slack. */
function drawSlackMessage(sender: string, blocks: readonly Section[]): string {
  return `<!doctype html>
<style>
  body { margin: 0; font: 15px/1.47 system-ui, "Liberation Sans", sans-serif; color: #1d1c1d }
  main { display: grid; grid-template-columns: 36px 1fr; gap: 8px 10px; padding: 20px; width: 600px }
  .sender { width: 36px; height: 36px; border-radius: 6px; background: #0f5c5c; grid-row: span 9 }
  small { background: #e8e8e8; border-radius: 3px; padding: 1px 4px; font-size: 11px; color: #555 }
  p { margin: 0 } a { color: #1264a3; text-decoration: none }
</style>
<main><span class="sender"></span><p><b>${sender}</b> <small>APP</small></p>
${blocks.map((block) => `<p>${drawBlock(block)}</p>`).join("\n")}</main>`;
}

/** A block of rich text as HTML. */
function drawBlock({ elements: [section] }: Section): string {
  return section!.elements.map(({ text, url, style }) => {
    const shown = escapeHtml(text).replaceAll("\n", "<br>");
    const linked = url === undefined ? shown : `<a href="${escapeHtml(url)}">${shown}</a>`;
    return style?.bold ? `<b>${linked}</b>` : linked;
  }).join("");
}
