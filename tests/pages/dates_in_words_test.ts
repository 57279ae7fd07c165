import { deepStrictEqual as assertEquals, match, ok } from "node:assert/strict";
import { readChangesInWords } from "../../lib/roadmap/words/asked_changes.ts";
import { readDatesInWords } from "../../lib/roadmap/words/dates_in_words.ts";
import { formatLongMonth, formatMonth, quarterDays, showQuarter } from "../../lib/text/dates.ts";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { language, readLanguage, say, speak } from "../../lib/text/messages.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage, releasesIn } from "../support/pages.ts";

/** What is asked in other languages on 23 November 2026: the rest and the dates, and the changelog's query. */
const ASKED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    "Dezember 2027 Teams": "Teams|2027-12-01 to 2027-12-31",
    "teams im dez. 2027": "teams|2027-12-01 to 2027-12-31",
    "nächstes Quartal": "|2027-01-01 to 2027-03-31",
    "geplant für das 1. Quartal 2027": "|2027-01-01 to 2027-03-31",
    "überfällige Konnektoren": "Konnektoren|overdue",
    "bis März 2027": "| to 2027-03-31",
    "marz 2027": "|2027-03-01 to 2027-03-31",
    "„Dezember 2027“": "",
    // English stays known.
    "december 2027 teams": "teams|2027-12-01 to 2027-12-31",
    "teams by the end of March": "teams| to 2027-03-31",
    "next 30 days": "|2026-11-23 to 2026-12-23",
    "overdue teams": "teams|overdue",
    "shipped in Q4": "shipped|2026-10-01 to 2026-12-31",
    "shipped in Q3": "shipped|2026-07-01 to 2026-09-30",
    "slipped Q3 teams": "slipped teams|2026-07-01 to 2026-09-30",
    "erschienen in Q3": "erschienen|2026-07-01 to 2026-09-30",
    "teams in Q3": "teams|2027-07-01 to 2027-09-30",
    "what changed last week": "?days=7",
    "was wurde letzte Woche ausgeliefert?": "?kind=shipped&days=7",
    "Verschiebungen": "",
    "zuletzt ausgeliefert": "?kind=shipped&days=7",
  },
  fr: {
    "decembre 2027": "|2027-12-01 to 2027-12-31",
    "T4 2026": "|2026-10-01 to 2026-12-31",
    "tables en retard": "tables|overdue",
    "d’ici mars 2027": "| to 2027-03-31",
    "le trimestre prochain": "|2027-01-01 to 2027-03-31",
    "quoi de neuf ces 7 derniers jours ?": "?kind=added&days=7",
    "livré récemment": "?kind=shipped&days=7",
  },
  es: {
    "diciembre de 2027 teams": "teams|2027-12-01 to 2027-12-31",
    "retrasado": "|overdue",
    "el próximo trimestre": "|2027-01-01 to 2027-03-31",
    "qué ha cambiado la semana pasada": "?days=7",
    "cambios recientemente": "?days=7",
  },
  "pt-BR": {
    "no próximo trimestre": "|2027-01-01 to 2027-03-31",
    "o que mudou na semana passada?": "?days=7",
    "o que mudou ontem?": "?days=1",
  },
  it: {
    "entro il T4 2026": "| to 2026-12-31",
    "cosa è cambiato la settimana scorsa": "?days=7",
    "cosa è cambiato di recente": "?days=7",
  },
  nl: {
    "mrt 2027": "|2027-03-01 to 2027-03-31",
    "released in Q3": "released|2026-07-01 to 2026-09-30",
    "te laat": "|overdue",
    "onlangs uitgebracht": "?kind=shipped&days=7",
  },
  pl: {
    "w grudniu 2027 teams": "teams|2027-12-01 to 2027-12-31",
    "IV kw. 2026": "|2026-10-01 to 2026-12-31",
    "zaległe": "|overdue",
    "zeszly kwartal": "|2026-07-01 to 2026-09-30",
    "co się zmieniło w zeszłym tygodniu?": "?days=7",
    "co się zmieniło ostatnio?": "?days=7",
  },
  ja: {
    "来月": "|2026-12-01 to 2026-12-31",
    "2027年12月": "|2027-12-01 to 2027-12-31",
    "2026年第4四半期のTeams": "Teams|2026-10-01 to 2026-12-31",
    "2027年3月まで": "| to 2027-03-31",
    "先週の変更": "?days=7",
    "最近の変更": "?days=7",
  },
  ar: {
    "في ديسمبر ٢٠٢٧ فرق": "فرق|2027-12-01 to 2027-12-31",
    "الربع الرابع 2026": "|2026-10-01 to 2026-12-31",
    "ما الذي تغير الأسبوع الماضي؟": "?days=7",
    "ما الذي تغير أمس؟": "?days=1",
  },
};

Deno.test("Dates and changes are asked for in the language, and in English", () => {
  const today = "2026-11-23";
  const before = language();
  try {
    for (const [tag, questions] of Object.entries(ASKED)) {
      speak(readLanguage(tag));
      for (const [q, wanted] of Object.entries(questions)) {
        const changes = readChangesInWords(q, today);
        const dates = readDatesInWords(q, today);
        const period = dates?.due ??
          `${dates?.release_date_from ?? ""} to ${dates?.release_date_to}`;
        const found = changes?.query ?? (dates ? `${dates.rest}|${period}` : "");
        assertEquals(found, wanted, `${tag}: ${q}`);
      }
    }
  } finally {
    speak(before);
  }
});

Deno.test("Every language finds what its own pages say of dates", () => {
  const before = language();
  try {
    for (const tag of LANGUAGES) {
      speak(readLanguage(tag));
      for (let month = 1; month <= 12; month++) {
        const day = `2027-${String(month).padStart(2, "0")}-01`;
        for (const shown of [formatMonth(day), formatLongMonth(day)]) {
          const found = readDatesInWords(shown, "2026-11-23");
          assertEquals([found?.release_date_from, found?.rest], [day, ""], `${tag}: ${shown}`);
        }
      }
      for (const quarter of ["Q1 2027", "Q2 2027", "Q3 2027", "Q4 2027"]) {
        const found = readDatesInWords(showQuarter(quarter), "2026-11-23");
        assertEquals(
          [found?.release_date_to, found?.rest],
          [quarterDays(quarter)!.last, ""],
          `${tag}: ${showQuarter(quarter)}`,
        );
      }
      for (const shown of [say("filter.overdue"), say("list.overdue_title")]) {
        assertEquals(readDatesInWords(shown, "2026-11-23")?.due, "overdue", `${tag}: ${shown}`);
      }
    }
  } finally {
    speak(before);
  }
});

testOnDatabases(
  "A page turns dates in words into a filter that can be removed",
  async (database) => {
    await using app = await serve(database, [
      makeItem(1, { feature_name: "Copilot for rows", release_date: "Q3 2026" }),
      makeItem(2, { feature_name: "Copilot for columns", release_date: "Q4 2026" }),
      makeItem(3, { feature_name: "Charts", release_date: "Q4 2026" }),
    ]);
    const page = await readPage(app, "/?q=copilot+in+Q4");
    assertEquals(releasesIn(page), ["Copilot for columns"]);
    match(page, /<span><bdi>Date<\/bdi><\/span><bdi>: <strong>planned for Q4 2026</);
    match(page, /<a class="take-off"[^>]* href="\/\?q=copilot" aria-label="Remove filter: Date"/);
    assertEquals(releasesIn(await readPage(app, "/?q=in+Q4")).length, 2);
    const { data } = await app.json("/api/releases?q=copilot+in+Q4");
    assertEquals(data, [], "the API searches what it is given");
  },
);

testOnDatabases("A search without results says which filter prevents them", async (database) => {
  await using app = await serve(database, [
    makeItem(1, { feature_name: "Copilot", product_name: "Excel", release_status: "Planned" }),
    makeItem(2, { feature_name: "Charts", product_name: "Word", release_status: "Shipped" }),
  ]);
  const html = await readPage(app, "/?q=copilot&product_name=Excel&release_status=Shipped");
  const page = html.replaceAll("&amp;", "&");
  ok(
    page.includes(
      `<a href="/?product_name=Excel&q=copilot" rel="nofollow">Without the “Status” filter: 1 release`,
    ),
  );
  ok(!page.includes("Without the “Product” filter"));
  ok(page.includes(`href="/subscribe?product_name=Excel&release_status=Shipped&q=copilot`));
});

testOnDatabases(
  "Matched word forms and spellings are highlighted, and the excerpt is the best passage",
  async (database) => {
    const filler = "Nothing of note stands in this sentence at all. ".repeat(12);
    await using app = await serve(database, [
      makeItem(1, {
        feature_name: "Signing keys",
        feature_description:
          `A key is made. ${filler}Keys can be rotated and signed by the operator.`,
      }),
    ]);
    const marksIn = async (q: string) =>
      [...(await readPage(app, `/?q=${q}`)).matchAll(/<mark>([^<]*)<\/mark>/g)]
        .map(([, text]) => text);
    assertEquals(await marksIn("sign+keys+rotated"), [
      "Signing",
      "keys",
      "Keys",
      "rotated",
      "signed",
    ]);
    assertEquals((await marksIn("sgining")).slice(0, 1), ["Signing"]);
  },
);

testOnDatabases("Questions about changes lead to the changelog", async (database) => {
  await importItems(database, [makeItem(1)], { asOf: "2026-07-01" });
  await using app = await startApp(database);
  const expected: Record<string, string | null> = {
    "shipped last month": "/changelog?kind=shipped&month=2026-06",
    "What changed last week?": "/changelog?days=7",
    "what's new": "/changelog?kind=added",
    "delayed in the past 30 days": "/changelog?kind=slipped&days=30",
    "what was removed this month": "/changelog?kind=removed&month=2026-07",
    "what has changed": "/changelog",
    "recently shipped": "/changelog?kind=shipped&days=7",
    "shipped yesterday": "/changelog?kind=shipped&days=1",
    "anything new?": "/changelog?kind=added",
    "new": null,
    "shipped copilot last month": null,
    '"shipped last month"': null,
  };
  for (const [q, address] of Object.entries(expected)) {
    const html = await readPage(app, `/?q=${encodeURIComponent(q)}`);
    const [, href] = /<a href="([^"]*)">See in the changelog:/.exec(html) ?? [];
    assertEquals([q, href?.replaceAll("&amp;", "&") ?? null], [q, address]);
    if (address) await readPage(app, address);
  }
});
