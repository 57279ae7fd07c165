import {
  deepStrictEqual as assertEquals,
  match,
  notStrictEqual,
  ok,
  rejects,
  strictEqual,
} from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { toDrawable } from "../../lib/pictures/fonts.ts";
import { Pictures } from "../../lib/pictures/pictures.ts";
import { drawRelease } from "../../lib/pictures/release_picture.ts";
import type { Item } from "../../lib/roadmap/item.ts";
import { VARIANT_A } from "../../lib/roadmap/variant_a.ts";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { language, readLanguage, speak } from "../../lib/text/messages.ts";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { readPage } from "../support/pages.ts";
import { slowOnOne } from "../support/slow.ts";

const ID = String(makeItem(1).release_item_id);
const STATIC = new URL("../../static/", import.meta.url);
const ADDRESS = new RegExp(`^http://localhost:8000/release/${ID}/picture\\.png\\?v=[\\w-]{12}$`);

/** The preview metadata in the head of a page. */
async function previewOf(app: TestApp, path: string): Promise<Record<string, string>> {
  const metas = (await readPage(app, path)).matchAll(
    /<meta (?:property|name)="(og:image[\w:]*|twitter:card)" content="([^"]*)"/g,
  );
  return Object.fromEntries([...metas].map(([, name, content]) => [name!, content!]));
}

/** Fetches a picture, and checks its size in the PNG header (PNG, 11.2.1). */
async function readPicture(app: TestApp, address: string) {
  const { pathname, search } = new URL(address);
  const response = await app.fetch(pathname + search);
  assertEquals([address, response.status], [address, 200]);
  assertEquals(response.headers.get("content-type"), "image/png");
  const bytes = await response.bytes();
  const header = new DataView(bytes.buffer, bytes.byteOffset);
  assertEquals([header.getUint32(16), header.getUint32(20)], [1200, 630]);
  return { bytes, etag: response.headers.get("etag")! };
}

const importAt = (database: Database, asOf: string, fields: Record<string, unknown>) =>
  importItems(database, [makeItem(1, { last_modified: null, ...fields })], { asOf });

slowOnOne("A link preview of a release shows its date changes", async (database) => {
  await importAt(database, "2026-05-01", { release_date: "Q3 2025" });
  await importAt(database, "2026-06-01", { release_date: "Q1 2026" });
  await importAt(database, "2026-07-01", { release_date: "Q1 2026", release_status: "Shipped" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const { "og:image": address, ...others } = await previewOf(app, `/release/${ID}`);
  match(address!, ADDRESS);
  assertEquals(others, {
    "og:image:type": "image/png",
    "og:image:width": "1200",
    "og:image:height": "630",
    "og:image:alt": "Feature 1: Q3 2025 → Q1 2026 → Shipped",
    "twitter:card": "summary_large_image",
  });
  const { bytes, etag } = await readPicture(app, address!);
  ok(bytes.length < 256 * 1024);
  const again = await app.fetch(`/release/${ID}/picture.png`, {
    headers: { "If-None-Match": etag },
  });
  assertEquals(again.status, 304);
  const ofB = await previewOf(app, `/b/release/${ID}`);
  assertEquals(ofB["og:image:alt"], "Feature 1: 30 Sep 2025 → 31 Mar 2026 → Shipped");
  notStrictEqual((await readPicture(app, ofB["og:image"]!)).etag, etag);
});

slowOnOne("The image has a new URL once it changes", async (database) => {
  const addressNow = async () => {
    await using app = await startApp(database);
    const { "og:image": address } = await previewOf(app, `/release/${ID}`);
    return [address!, (await readPicture(app, address!)).etag];
  };
  await importAt(database, "2026-05-01", {});
  const first = await addressNow();
  await importAt(database, "2026-06-01", { feature_description: "Not in the picture" });
  assertEquals(await addressNow(), first);
  await importAt(database, "2026-07-01", { release_date: "Q4 2026" });
  const second = await addressNow();
  ok(second.every((one, place) => one !== first[place]));
});

slowOnOne("The image ends with the outcome of the release", async (database) => {
  const names = ["Cancelled", "Planned", "Planned", "Planned"];
  const items = names.map((release_status, place) =>
    makeItem(place + 1, { release_status, release_date: place === 2 ? null : "Q3 2026" })
  );
  await importItems(database, items);
  await importItems(database, items.toSpliced(1, 1), { asOf: "2026-07-21" });
  await using app = await startApp(database, { ROADMAP_VARIANT: "both" });
  const alts = [];
  for (const { release_item_id } of items) {
    const { "og:image:alt": alt, "og:image": address } = await previewOf(
      app,
      `/release/${release_item_id}`,
    );
    alts.push(alt);
    await readPicture(app, address!);
  }
  assertEquals(alts, [
    "Feature 1: Q3 2026 → Cancelled",
    "Feature 2: Q3 2026 → Removed",
    "Feature 3: No date",
    "Feature 4: Q3 2026",
  ]);
  const found = [];
  const removed = `/release/${items[1]!.release_item_id}/picture.png`;
  const paths = [`/b${removed}`, `/release/${ID.replaceAll("0", "9")}/picture.png`];
  for (const path of [...paths, "/release/abc/picture.png"]) {
    found.push((await app.fetch(path)).status);
  }
  assertEquals(found, [404, 404, 400]);
});

slowOnOne("Characters missing in the font are never drawn as boxes", async (database) => {
  const names = [
    "새로운 기능",
    "ฟีเจอร์ใหม่",
    "🚀",
    "🚀 Ключ ✔️ Ελλάδα, Việt שלום 👩‍💻",
    `${"Donaudampfschifffahrts".repeat(4)} <b>&amp; ${"long name ".repeat(30)}`,
    "W".repeat(500),
    "カレンダー同期の新機能、予定の自動調整とリマインダー（プレビュー）",
    "ميزة جديدة: مزامنة Outlook",
  ];
  await importItems(database, names.map((feature_name, i) => makeItem(i + 1, { feature_name })));
  await using app = await startApp(database);
  const preview = await Deno.readFile(new URL("preview.png", STATIC));
  for (const [place] of names.entries()) {
    const id = makeItem(place + 1).release_item_id;
    const { "og:image": address, "og:image:alt": alt } = await previewOf(app, `/release/${id}`);
    const { bytes } = await readPicture(app, `http://localhost:8000/release/${id}/picture.png`);
    const isSite = place < 3;
    assertEquals([place, address!.includes("/assets/preview")], [place, isSite]);
    if (isSite) assertEquals([alt, bytes], ["Roadcast", preview]);
    if (place === 5) assertEquals(alt, `${"W".repeat(250)}…: Q3 2026`);
    if (place === 3) assertEquals(alt, "Ключ Ελλάδα, Việt שלום: Q3 2026");
  }
  const logo = await Deno.makeTempFile({ suffix: ".svg" });
  await Deno.writeTextFile(logo, `<svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg"/>`);
  await using branded = await startApp(database, { SITE_LOGO: logo });
  assertEquals(await previewOf(branded, `/release/${ID}`), { "twitter:card": "summary" });
  const none = await branded.fetch(`/release/${ID}/picture.png`);
  assertEquals([none.status, none.headers.get("content-type")], [404, "application/problem+json"]);
  await Deno.remove(logo);
});

slowOnOne("A client that requests many images does not delay others", async (database) => {
  const items = Array.from({ length: 70 }, (_, number) => makeItem(number + 1));
  await using app = await serve(database, items, { TRUSTED_PROXIES: "1" });
  const leaving = new AbortController();
  const statuses: number[] = [];
  const request = (place: number, client: string, signal?: AbortSignal) =>
    app.fetch(`/release/${items[place]!.release_item_id}/picture.png`, {
      headers: { "X-Forwarded-For": client },
      signal,
    });
  const many = items.slice(1).map(async (_, place) => {
    const { status } = await request(place + 1, "192.0.2.1", leaving.signal);
    statuses.push(status);
  });
  const other = await request(0, "198.51.100.7");
  assertEquals(other.status, 200);
  const answered = statuses.filter((status) => status === 200).length;
  ok(answered < 10, `${answered} others came first`);
  leaving.abort();
  await Promise.allSettled(many);
});

Deno.test("The fonts have the letters of every language that pages have", () => {
  const before = language();
  try {
    for (const tag of LANGUAGES) {
      speak(readLanguage(tag));
      const { messages } = language();
      const drawn = Object.entries(messages).filter(([key]) =>
        /^(?:kind|promise|date|list\.no_date)/.test(key)
      ).map(([key, message]) => [key, JSON.stringify(message)] as const);
      const lacking = drawn.filter(([, text]) => toDrawable(text) === null);
      assertEquals([tag, lacking], [tag, []]);
    }
  } finally {
    speak(before);
  }
});

slowOnOne("The image is drawn from the right in Arabic", async (database) => {
  await importAt(database, "2026-05-01", { release_date: "Q3 2026" });
  await importAt(database, "2026-06-01", { release_date: "Q4 2026" });
  try {
    await using app = await startApp(database, { LANGUAGE: "ar" });
    const page = await (await app.fetch(`/release/${ID}`)).text();
    match(page, /<meta property="og:image:alt" content="[^"]*الربع الثالث 2026/);
    await readPicture(app, `http://localhost:8000/release/${ID}/picture.png`);
    speak(readLanguage("en"));
    const item = { ...makeItem(1), tone: "planned", active: true } as unknown as Item;
    const draw = () =>
      drawRelease({ item, dates: [], firstSeen: "2026-05-01" }, {
        services: { config: { SITE_NAME: "Acme", accent: null }, assets: { logo: null } },
        site: { variant: VARIANT_A },
      })!.svg;
    ok(!draw().includes("scale(-1 1)"));
    speak(readLanguage("ar"));
    match(draw(), /<g\s+transform="translate\(1200 0\) scale\(-1 1\)"\s*>/);
    match(
      draw(),
      /transform="translate\([\d.]+ 0\) scale\(-1 1\)"\s+fill="[^"]+" text-anchor="end"/,
    );
  } finally {
    speak(readLanguage("en"));
  }
});

Deno.test("An image that takes too long to render gets a 503", async () => {
  const pictures = new Pictures({ heapMb: 64, seconds: 0.2 });
  const noise = `<feTurbulence baseFrequency="0.5" numOctaves="1000"/>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="2000">` +
    `<filter id="noise">${noise}</filter>` +
    `<rect width="2000" height="2000" filter="url(#noise)"/></svg>`;
  await rejects(pictures.render(() => Promise.resolve(svg)), { status: 503 });
  // The next image gets its turn.
  strictEqual(await pictures.render(() => Promise.resolve(null)), null);
});
