import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import english from "../../lib/import/mapping/words/en.json" with { type: "json" };
import { type Concept, LANGUAGES, meaningsOf, phraseIn } from "../../lib/import/mapping/lexicon.ts";
import { readDate } from "../../lib/import/mapping/read_date.ts";

const FOLDER = new URL("../../lib/import/mapping/words/", import.meta.url);
const CONCEPTS = Object.keys(english) as Concept[];

Deno.test("Every language of the lexicon has a word for each concept, and no other file lies there", async () => {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name.replace(".json", "")).sort();
  assertEquals(files, [...LANGUAGES, "tools"].sort());
  for (const language of LANGUAGES) {
    const words = JSON.parse(await Deno.readTextFile(new URL(`${language}.json`, FOLDER)));
    assertEquals([language, Object.keys(words)], [language, CONCEPTS]);
    for (const concept of CONCEPTS) {
      assert(meaningsOf(phraseIn(language, concept)).has(concept), `${language} ${concept}`);
    }
  }
});

/** Concepts of which a text has one at most. */
const APART: readonly (readonly Concept[])[] = [
  ["yes", "no", "none"],
  ["everyone", "insiders"],
  ["public", "confidential", "archived", "deleted"],
  ["start", "due", "created", "changed", "done_day"],
  ["title", "product", "status", "type", "person"],
  ["spring", "summer", "autumn", "winter"],
];

Deno.test("No word of the lexicon says two things that exclude each other", () => {
  for (const language of LANGUAGES) {
    for (const concepts of APART) {
      for (const concept of concepts) {
        const meanings = meaningsOf(phraseIn(language, concept));
        const others = concepts.filter((other) => other !== concept && meanings.has(other));
        assertEquals([language, concept, others], [language, concept, []]);
      }
    }
  }
});

/** Languages of which `Intl` writes days: more than the lexicon has. */
const MORE = (
  "en de fr es it pt nl sv da nb fi pl cs sk hu ro bg sr sl et lv lt el tr ru uk ar he fa hi ja ko " +
  "zh-CN zh-TW vi th id ms ca gl is af sw mk bs be"
).split(" ");

Deno.test("Every month is read as Intl writes a day in any language", () => {
  for (const language of MORE) {
    for (const dateStyle of ["medium", "long", "full"] as const) {
      const options = { dateStyle, timeZone: "UTC" } as const;
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, options);
      for (let month = 1; month <= 12; month++) {
        const day = `2026-${String(month).padStart(2, "0")}-25`;
        const text = format.format(new Date(day));
        assertEquals([language, text, readDate(text)], [language, text, { date: day }]);
      }
    }
  }
});
