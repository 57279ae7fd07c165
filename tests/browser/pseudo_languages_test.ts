import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Page } from "playwright-core";
import { readLanguage, speak } from "../../lib/text/messages.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { startBrowser } from "../support/browser.ts";
import { testOnOne } from "../support/databases.ts";
import { PSEUDO_LANGUAGES, speakPseudo } from "../support/pseudo_languages.ts";

const ID = makeItem(1).release_item_id as string;

/** Every page that readers have, and the views of it that show something of their own. */
const PAGES = [
  "/",
  "/?view=board",
  "/?view=board&group=status",
  "/?due=overdue",
  "/?q=нет&product_name=Почта&release_date_from=Q3 2026",
  "/?as_of=2026-07-01",
  "/?page=x",
  "/changelog",
  "/changelog?days=30&kind=shipped",
  "/changelog/2026-07-20",
  "/compare",
  "/copy",
  "/embed",
  "/insights",
  "/new-link",
  `/release/${ID}`,
  "/subscribe",
  "/subscribe?by=feed",
  `/subscribe?release=${ID}`,
  "/subscribe/preview",
  "/unsubscribe",
  "/verify-email",
  "/preferences",
  "/nothing",
];

/** What is no word of the service: its own name, names of formats, and what the source says. */
const NAMES =
  /\b(?:Roadcast|UTC|RSS|Atom|JSON Feed|JSON|CSV|API|OPML|OpenAPI|Slack|Microsoft Teams|GET|POST|OPTIONS|Launched|Q\d)\b/g;

/** What the language in whose place one is spoken says by itself: days, and lists. */
function wordsOfIntl(tag: string): RegExp {
  const days = Array.from({ length: 12 }, (_, month) => new Date(2026, month, month + 1));
  const words = ["short", "long"] as const;
  const said = words.flatMap((style) =>
    days.flatMap((day) => [
      new Intl.DateTimeFormat(tag, { month: style }).format(day),
      new Intl.DateTimeFormat(tag, { weekday: style }).format(day),
    ])
  );
  const list = new Intl.ListFormat(tag).format(["0", "1"]).replaceAll(/[\d ]/g, "");
  return new RegExp(
    `\\b(?:${[...said, list].map((word) => word.replace(".", "")).join("|")})\\b`,
    "g",
  );
}

/** A roadmap without a Latin letter but those of statuses. */
const ITEMS = Array.from({ length: 24 }, (_, place) =>
  makeItem(place + 1, {
    feature_name: `Дело ${place + 1}`,
    product_name: place % 2 ? "Почта" : "Карты",
    release_type: "Вид",
    release_status: place % 5 ? "Начато" : "Launched",
    release_date: `Q${place % 4 + 1} 2026`,
    feature_description: "Слова о деле.",
    tags: { "Место": ["Сеть"] },
  }));

/** What leaves its place on a page, and what it says. */
function inspect(page: Page) {
  return page.evaluate(() => {
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    for (const details of document.querySelectorAll("details")) {
      details.removeAttribute("name");
      details.open = true;
    }
    const opened = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    const cut = [...document.querySelectorAll<HTMLElement>(
      // A filter shows the beginning of what is chosen in it.
      "button, summary:not(.facet *), label, legend, th, h1, h2, h3, nav a, a.button, .badge",
    )].filter((element) =>
      element.checkVisibility() && element.clientWidth > 1 &&
      [element, ...element.querySelectorAll<HTMLElement>("span, strong")].some((one) =>
        getComputedStyle(one).overflowX !== "visible" && one.clientWidth > 1 &&
        one.scrollWidth > one.clientWidth + 1
      )
    ).map((element) => element.textContent!.trim());
    const attributes = [...document.querySelectorAll("[aria-label], [title], [placeholder]")]
      .flatMap((element) =>
        ["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name) ?? "")
      );
    for (const code of document.querySelectorAll("code, pre, kbd, script, style")) code.remove();
    return { wide, opened, cut, texts: [document.body.innerText, ...attributes, document.title] };
  });
}

for (const [name, pseudo] of Object.entries(PSEUDO_LANGUAGES)) {
  testOnOne(`Pages have room for a ${name} language, and say nothing else`, async (database) => {
    await importItems(database, ITEMS, { asOf: "2026-06-01" });
    await importItems(
      database,
      ITEMS.map((item, place) => ({
        ...item,
        release_date: `Q${place % 3 + 2} 2026`,
      })),
    );
    const browser = await startBrowser();
    const faults: string[] = [];
    try {
      using _ = speakPseudo(pseudo);
      await using app = await startApp(database, {
        LANGUAGE: pseudo.inPlaceOf,
        SITE_NAME: "Пример",
      });
      await using server = app.listen();
      const known = wordsOfIntl(pseudo.inPlaceOf);
      const page = await browser.newPage();
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of PAGES) {
          await page.goto(`http://localhost:${server.port}${path}`);
          const { wide, opened, cut, texts } = await inspect(page);
          const at = `${path} at ${width} px`;
          if (Math.max(wide, opened) > 0) {
            faults.push(`${at} is ${Math.max(wide, opened)} px too wide`);
          }
          faults.push(...cut.map((text) => `${at} cuts “${text}”`));
          const words = new Set(
            texts.join("\n").replace(/\S+@\S+|https?:\S+|\/\S+|[\da-f]{8}-\S+/g, " ")
              .replace(NAMES, " ").replace(known, " ").match(/[A-Za-z]{2,}/g),
          );
          if (words.size > 0) faults.push(`${at} says ${[...words].join(" ")}`);
        }
      }
    } finally {
      await browser.close();
      speak(readLanguage("en"));
    }
    assertEquals(faults, []);
  });
}
