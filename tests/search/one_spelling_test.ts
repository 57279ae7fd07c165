import { deepStrictEqual as assertEquals } from "node:assert/strict";
import fc from "fast-check";
import { sql } from "../../lib/database/sql.ts";
import { fold, plainLetters } from "../../lib/text/match_words.ts";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";

/** Two spellings of one word: a reader types one of them, and means both. */
const SPELLINGS: readonly (readonly [one: string, other: string])[] = [
  ["كتاب", "كِتَابٌ"],
  ["امان", "أمان"],
  ["الاشعار", "الإشعار"],
  ["مستند", "مستنـــد"],
  ["مكتبة", "مکتبه"],
  ["علي", "على"],
  ["یکی", "يكي"],
  ["مرحبا", "\u202bمرحبا\u202c"],
  ["レポート", "ﾚﾎﾟｰﾄ"],
  ["ガイド", "ｶﾞｲﾄﾞ"],
  ["excel", "Ｅｘｃｅｌ"],
  ["office", "oﬃce"],
  ["café", "cafe\u0301"],
  ["강남", "강남".normalize("NFD")],
];

/** The same by their words; as they stand they are two texts. */
const ACCENTS: typeof SPELLINGS = [["lodz", "Łódź"], ["oresund", "Øresund"], ["isik", "ışık"], [
  "thorsmork",
  "Þórsmörk",
], ["отчет", "отчёт"]];

testOnDatabases(
  "A word is found in both of its spellings, by words and as it stands",
  async (database) => {
    const pairs = [...SPELLINGS, ...ACCENTS];
    await importItems(
      database,
      pairs.flatMap((pair, place) =>
        pair.map((word, which) =>
          makeItem(place * 2 + which, {
            feature_name: `No ${place}`,
            feature_description: which === 0 ? `See ${word}` : null,
            ...which === 1 && { tags: { Word: [word] }, feature_description: `Look: ${word}.` },
          })
        )
      ),
    );
    await using app = await startApp(database);
    for (const [place, pair] of pairs.entries()) {
      for (const q of pair) {
        for (const match of place < SPELLINGS.length ? ["", "&match=words"] : ["&match=words"]) {
          const { data } = await app.json(`/api/releases?q=${encodeURIComponent(q)}${match}`);
          const names = data.map((item: { feature_name: string }) => item.feature_name);
          assertEquals(names, [`No ${place}`, `No ${place}`], `${q}${match}`);
        }
      }
    }
  },
);

testOnDatabases("Tags are found in both spellings", async (database) => {
  await importItems(
    database,
    SPELLINGS.map(([, word], place) => makeItem(place, { tags: { Word: [word] } })),
  );
  await using app = await startApp(database);
  for (const [word] of SPELLINGS) {
    const { data } = await app.json(
      `/api/releases?match=words&q=${encodeURIComponent(`"${word}"`)}`,
    );
    // What is written without blanks is searched as a text, and tags are none.
    const isSearched = !/[\p{Script=Katakana}\p{Script=Hangul}]/u.test(word);
    assertEquals(data.length, isSearched ? 1 : 0, word);
  }
});

/** Letters of the scripts that have several spellings, signs, and what joins them. */
const TEXT = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."آأإٱاىیےةکہۀكيهـًٌِّْٰٓٔ", ..."łøđðħŧıŋæœþßİſŉς", ..."ﾚﾎﾟｰﾄｶﾞＥｘ１％ﬁﷺ㎏℡½™…"),
    fc.constantFrom(..."aéZ -'’&<>·\u0301\u0308\u3099\u00a0\u200f\u2066\u3000\u00ad"),
    fc.integer({ min: 0xa1, max: 0x6ff }).map((code) => String.fromCodePoint(code)),
    fc.integer({ min: 0xfb00, max: 0xffdc }).map((code) => String.fromCodePoint(code)),
  ),
  maxLength: 30,
});

testOnDatabases("The service and the database fold alike", async (database) => {
  const texts = fc.sample(TEXT, { numRuns: 2_000, seed: 65 }).filter((text) => text.isWellFormed());
  for (const text of texts) {
    assertEquals(fold(fold(text)), fold(text), JSON.stringify(text));
  }
  const rows = await database.query<{ plain: string; once: string; twice: string }>(sql`
    select plain_letters(folded) as plain, one_spelling(given) as once, one_spelling(folded) as twice
    from unnest(${texts}::text[], ${texts.map(fold)}::text[]) with ordinality
      as texts (given, folded, place)
    order by place
  `);
  for (const [place, { plain, once, twice }] of rows.entries()) {
    const text = texts[place]!;
    assertEquals(plain, plainLetters(fold(text)), JSON.stringify(text));
    assertEquals(fold(once), fold(text), JSON.stringify(text));
    assertEquals(twice.normalize("NFC"), fold(text), JSON.stringify(text));
  }
});

testOnDatabases(
  "What earlier versions have stored is found in both spellings",
  async (database) => {
    const words = SPELLINGS.map(([, word]) => word);
    const before = (text: string) => text.normalize("NFC").toLowerCase();
    await importItems(
      database,
      words.map((word, place) =>
        makeItem(place, { feature_name: word, feature_description: `With ${word}` })
      ),
    );
    for (const word of words) {
      await database.query(sql`
      update item_texts set search_text = replace(search_text, ${fold(word)}, ${before(word)})
    `);
    }
    await database.query(sql`delete from known_words`);
    const migration = await Deno.readTextFile("migrations/0047_one_spelling.sql");
    await database.script(migration.replaceAll("create function", "create or replace function"));
    await using app = await startApp(database);
    for (const [q] of SPELLINGS) {
      for (const match of ["", "&match=words"]) {
        const { data } = await app.json(`/api/releases?q=${encodeURIComponent(q)}${match}`);
        assertEquals(data.length, 1, `${q}${match}`);
      }
    }
  },
);
