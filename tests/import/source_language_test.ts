import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import type { Database } from "../../lib/database/database.ts";
import { readLanguage, speak } from "../../lib/text/messages.ts";
import { importItems, makeItem, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

const EMBED = { EMBED_ORIGINS: "https://example.com" };
const [GERMAN, HEBREW] = ["Neue Ansicht für Verzögerungen", "תצוגה חדשה"];

/** A feed with one entry, in one of the formats. */
function feedOf(format: "rss" | "atom" | "json", language: string): string {
  switch (format) {
    case "rss":
      return `<rss version="2.0"><channel><title>T</title><language>${language}</language>
        <item><guid>1</guid><title>${GERMAN}</title></item></channel></rss>`;
    case "atom":
      return `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}"><title>T</title>
        <entry><id>urn:1</id><title>${GERMAN}</title></entry></feed>`;
    case "json":
      return JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "T",
        language,
        items: [{ id: "1", title: GERMAN }],
      });
  }
}

/** The languages of the elements of a page that show a text, or the beginning of one. */
async function languagesOn(app: TestApp, path: string, text: string): Promise<string[]> {
  const response = await app.fetch(path);
  assertEquals(response.status, 200, path);
  const html = await response.text();
  // Titles of pages and what scripts read are no elements that show it.
  const found = [...html.matchAll(/<(?:bdi|a|div)\b([^<>]*)>(?:<p>)?([^<]*)/g)]
    .filter(([, , inner]) => inner!.includes(text))
    .map(([, attributes]) => / lang="([^"]*)"/.exec(attributes!)?.[1] ?? "none");
  return [...new Set(found)];
}

/** Every page that shows the name of a release, and the text of a description. */
async function listPages(app: TestApp): Promise<string[]> {
  const { data: [first] } = await app.json("/api/releases");
  return [
    "/",
    "/?view=board",
    "/?view=board&group=status",
    "/embed",
    "/changelog",
    "/compare?from=2026-07-20",
    `/release/${first.release_item_id}`,
    "/subscribe/preview",
  ];
}

async function languagesOnAll(app: TestApp, pages: readonly string[], text: string) {
  const found = await Promise.all(pages.map((path) => languagesOn(app, path, text)));
  return Object.fromEntries(pages.map((path, place) => [path, found[place]]));
}

function importText(database: Database, text: string, language?: string) {
  return importItems(database, text, { kind: "feed", sourceName: "news", language });
}

testOnDatabases(
  "Texts of a source in another language say which on every page",
  async (database) => {
    await importItems(
      database,
      [makeItem(1, { feature_name: HEBREW, feature_description: `${HEBREW}.` })],
      { sourceName: "he", language: "he" },
    );
    try {
      await using app = await startApp(database, EMBED);
      const pages = await listPages(app);
      const onAll = Object.fromEntries(pages.map((path) => [path, ["he"]]));
      assertEquals(await languagesOnAll(app, pages, HEBREW), onAll);
      await using own = await startApp(database, { ...EMBED, LANGUAGE: "de" });
      assertEquals(await languagesOnAll(own, pages, HEBREW), onAll);
      // What is said of the source now is what counts.
      await importItems(
        database,
        [makeItem(1, { feature_name: HEBREW, feature_description: `${HEBREW}.` })],
        { sourceName: "he", language: "de-at" },
      );
      assertEquals(await languagesOn(own, "/embed", HEBREW), ["none"]);
      await using english = await startApp(database, EMBED);
      assertEquals(await languagesOn(english, "/embed", HEBREW), ["de-AT"]);
      await importItems(database, [makeItem(2)], { sourceName: "he", partial: true });
      assertEquals(await languagesOn(english, "/embed", HEBREW), ["de-AT"], "a part says nothing");
    } finally {
      speak(readLanguage("en"));
    }
  },
);

testOnDatabases(
  "A feed says the language of its texts, unless its source does",
  async (database) => {
    await using app = await startApp(database, EMBED);
    for (const format of ["rss", "atom", "json"] as const) {
      await importText(database, feedOf(format, "de-DE"));
      assertEquals(await languagesOn(app, "/embed", GERMAN), ["de-DE"], format);
      await importText(database, feedOf(format, "de-DE"), "pl");
      assertEquals(await languagesOn(app, "/embed", GERMAN), ["pl"], format);
      for (const unsaid of ["", "english please", "en-us"]) {
        await importText(database, feedOf(format, unsaid));
        assertEquals(await languagesOn(app, "/embed", GERMAN), ["none"], `${format}: ${unsaid}`);
      }
    }
    const { data } = await app.json("/api/releases");
    assert(!("language" in data[0]), "the API has its own shape");
  },
);
