import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { importItems, makeItem, serve, startApp, type TestApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { readPage, releasesIn } from "../support/pages.ts";

const ITEMS = [
  makeItem(1, {
    feature_name: "Copilot for rows",
    release_date: "2027-09-30",
    dates: { Preview: "2027-03-31", "End of life": "2028-12-31" },
  }),
  makeItem(2, {
    feature_name: "Copilot for columns",
    release_date: "2027-03-31",
    dates: { Preview: "2026-12-31", "General availability": "2027-06-30" },
  }),
  makeItem(3, { feature_name: "Charts", release_date: "2027-03-31" }),
  makeItem(4, { feature_name: "Preview in March 2030", release_date: "2027-03-31" }),
];

/** What a question finds, and how it was understood. */
async function ask(app: TestApp, q: string, query = "") {
  const { items, said } = await app.json(`/search.json?q=${encodeURIComponent(q)}${query}`);
  return [
    ...items.map((item: Record<string, string>) => `${item.feature_name}: ${item.release_date}`),
    ...said.dates.map((words: string) => words.replace(/\p{Bidi_Control}/gu, "")),
  ];
}

const ROWS = "Copilot for rows: ";
const COLUMNS = "Copilot for columns: ";

testOnDatabases("A question names the date that it asks by", async (database) => {
  await importItems(database, ITEMS, { asOf: "2026-07-18" });
  await using app = await startApp(database);
  const inQ1 = [`${ROWS}Q1 2027`, "Preview Q1 2027"];
  const ends = [`${ROWS}Q4 2028`];
  const questions: Record<string, string[]> = {
    "preview in March 2027": inQ1,
    "PREVIEWS in Q1 2027": inQ1,
    "copilot preview Q1 2027": inQ1,
    "what is in preview in Q1 2027?": inQ1,
    "Q1 2027 previews": inQ1,
    "beginning of 2027 preview": inQ1,
    "preview before Q1 2027": [`${COLUMNS}Q4 2026`, "Preview until Q4 2026"],
    "preview after Q4 2026": [`${ROWS}Q1 2027`, "Preview from Q1 2027 on"],
    "preview between October 2026 and March 2027": [
      `${COLUMNS}Q4 2026`,
      `${ROWS}Q1 2027`,
      "Preview Q4 2026 to Q1 2027",
    ],
    "end of life 2028": [...ends, "End of life Q1 2028 to Q4 2028"],
    "end-of-life in Q4 2028": [...ends, "End of life Q4 2028"],
    "general availability Q2 2027": [`${COLUMNS}Q2 2027`, "General availability Q2 2027"],
    // Any word for the stage of a name in use means it.
    "retirement 2028": [...ends, "End of life Q1 2028 to Q4 2028"],
    // No release has such a date, and a name stands before the words of a date.
    "general copilot": [`${COLUMNS}Q1 2027`, `${ROWS}Q3 2027`],
    "Preview in March 2030": ["Preview in March 2030: Q1 2027"],
    '"preview" Q1 2027': ["Preview in March 2030: Q1 2027", "planned for Q1 2027"],
  };
  for (const [q, wanted] of Object.entries(questions)) {
    const found = await ask(app, q);
    assertEquals([q, ...found.toSorted()], [q, ...wanted.toSorted()]);
  }
  assertEquals(await ask(app, "preview in Q2 2027", "&date_name=General+availability"), [
    "planned for Q2 2027",
  ], "a date that is chosen stands, and the word is searched");
  const page = await readPage(app, "/?q=copilot+preview+in+Q1+2027");
  assertEquals(releasesIn(page), ["Copilot for rows"]);
  match(page, /<span><bdi>Date<\/bdi><\/span><bdi>: <strong>Preview Q1 2027</);
  match(page, /<a class="take-off"[^>]* href="\/\?q=copilot" aria-label="Remove filter: Date"/);
});

const IN_LANGUAGES: Readonly<Record<string, [q: string, said: string]>> = {
  de: ["Vorschau im März 2027", "Preview Q1 2027"],
  fr: ["aperçus avant le T2 2027", "Preview jusqu’au T1 2027"],
  es: ["vista previa en marzo de 2027", "Preview T1 2027"],
  "pt-BR": ["prévia a partir de janeiro de 2027", "Preview a partir do 1º tri 2027"],
  it: ["anteprime a marzo 2027", "Preview T1 2027"],
  nl: ["preview vanaf januari 2027", "Preview vanaf Q1 2027"],
  pl: ["podgląd w marcu 2027", "Preview I kw. 2027"],
  ja: ["2027年3月のプレビュー", "Preview 2027年第1四半期"],
  ar: ["المعاينة في مارس ٢٠٢٧", "Preview الربع الأول 2027"],
};

testOnDatabases("Each language names a date by its own word for the stage", async (database) => {
  await importItems(database, ITEMS, { asOf: "2026-07-18" });
  for (const [LANGUAGE, [q, said]] of Object.entries(IN_LANGUAGES)) {
    await using app = await startApp(database, { LANGUAGE });
    const found = (await ask(app, q)).filter((line) => !line.startsWith(COLUMNS));
    assertEquals([LANGUAGE, found[0]?.startsWith(ROWS), found.at(-1)], [LANGUAGE, true, said]);
  }
});

testOnDatabases(
  "The word of a stage stands for the only date whose name has it",
  async (database) => {
    const dates = { "Vorschau ab": "2027-02-10", "Public support end": "2028-12-31" };
    await using app = await serve(database, [
      makeItem(1, { feature_name: "Tabellen", dates }),
      makeItem(2, {
        feature_name: "Diagramme",
        release_date: null,
        dates: { "Private support end": "2028-12-31" },
      }),
    ], { LANGUAGE: "de" });
    for (const q of ["Vorschau im Februar 2027", "preview in Q1 2027"]) {
      assertEquals(await ask(app, q), ["Tabellen: Q1 2027", "Vorschau ab Q1 2027"], q);
    }
    assertEquals(await ask(app, "Supportende 2028"), []);
  },
);
