import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import process from "node:process";
import fc from "fast-check";
import type { Change } from "../../lib/roadmap/item.ts";
import { describeChanges } from "../../lib/roadmap/changes/change_in_words.ts";
import { formatCsvLine } from "../../lib/text/csv.ts";
import { NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import { describeFilter } from "../../lib/roadmap/filter/filter_words.ts";
import { formatDescription } from "../../lib/text/description.ts";
import { parseEmailAddress } from "../../lib/delivery/subscriptions/email_address.ts";
import { embeddingText } from "../../lib/search/embed_items.ts";
import { fold, marksOf, markWords } from "../../lib/text/match_words.ts";
import { escapeIcalText, formatIcalLines } from "../../lib/feeds/calendar.ts";
import { excerptOf, toPlainText } from "../../lib/text/plain_text.ts";
import { toneOfWords } from "../../lib/roadmap/status_tone.ts";
import { VARIANT_A } from "../../lib/roadmap/variant_a.ts";
import { toLine } from "../../lib/text/phrases.ts";
import { xml } from "../../lib/text/xml.ts";
import { showLocation } from "../../lib/import/fetching/location.ts";
import { makeItem, serve } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { READ_PATHS } from "../support/read_paths.ts";
import { runs, slowTest } from "../support/slow.ts";

/** Everything that is made of a text of a source, or of one that anybody may send. */
const USES: Record<string, (text: string) => unknown> = {
  toPlainText,
  formatDescription,
  fold,
  toLine,
  toneOfWords,
  parseEmailAddress,
  excerptOf: (text) => excerptOf(text, { marks: marksOf("abc bcd"), length: 210 }),
  markWords: (text) => markWords(text, marksOf("abc [ ((bcd")),
  formatCsvLine: (text) => formatCsvLine([text]),
  xml: (text) => xml`<p>${text}</p>`.text,
  embeddingText: (text) =>
    embeddingText({ feature_name: "a", product_name: "b", feature_description: text }),
  describeChanges: (text) =>
    describeChanges(VARIANT_A, [{
      ...rewritten(text),
      kinds: { quarter: ["edited"], day: ["edited"] },
    }]),
  describeInVariantA: (text) => VARIANT_A.describeChanges([rewritten(text)]),
  escapeIcalText,
  formatIcalLines: (text) => formatIcalLines([escapeIcalText(text)]),
  describeFilter: (text) => describeFilter({ ...NO_FILTER, q: text, product_name: [text] }),
  showLocation: (text) => showLocation(`https://example.com/?${text}`),
};

function rewritten(text: string): Change {
  return { kind: "changed", field: "feature_name", old_value: text, new_value: `${text}x` };
}

/** Each is eight times as long as the one before. */
const LENGTHS = [2_000, 16_000, 128_000] as const;
/** Eight times the length takes eight times as long, and 64 times by the square of it. */
const MAX_RATIO = 24;
/** What takes no longer than this says nothing about how it grows. */
const SHORT_MS = 5;

/** Measures the processor time of the shortest of some runs, in which the machine's other work is not. */
function measure(use: (text: string) => unknown, text: string, runs: number): number {
  return Math.min(...Array.from({ length: runs }, () => {
    const before = process.threadCpuUsage();
    use(text);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  }));
}

/** Expects that no use of a text takes longer by the square of its length. */
function assertLinear(begin: string, unit: string, end: string): void {
  const textOf = (length: number) => begin + unit.repeat(Math.ceil(length / unit.length)) + end;
  for (const [name, use] of Object.entries(USES)) {
    for (const [index, length] of LENGTHS.slice(1).entries()) {
      const [short, long] = [textOf(LENGTHS[index]!), textOf(length)];
      const isLinear = [1, 3, 9].some((runs) =>
        measure(use, long, runs) < MAX_RATIO * Math.max(measure(use, short, runs), SHORT_MS)
      );
      assert(isLinear, `${name} of ${length} characters of ${JSON.stringify([begin, unit, end])}`);
    }
  }
}

const MARKS = [..."\n\r\t [](){}<>&*_`!#|~\\-+.:;=/@?%'\"", "1", "a", "\u0301", "\u0316", "Σ", "·"];
const KNOWN_TO_BE_SLOW = [
  ...["> ", "- ", "1. ", "![", "[a](", "[](", "[[[a](", "**a", "<a", "</", "<!--", "&#", "  \n"],
  ...["\n    ", "| --- |\n", "a|a\n", "~~a", "http://", "www.", "a@a.", "```\n", "*a *", " ·"],
  ...["\u0301\u0316", "?key", "key&", "[a]: a\n", "<b>", "(a", "\\*", "a ## ", ". - "],
];

slowTest("No text takes quadratic time: characters and known slow texts", () => {
  for (const unit of [...MARKS, ...KNOWN_TO_BE_SLOW]) {
    for (const end of ["", "x", "@"]) assertLinear("", unit, end);
  }
});

Deno.test("No text takes quadratic time: any characters", () => {
  const mark = fc.constantFrom(...MARKS);
  const unit = fc.array(mark, { minLength: 1, maxLength: 3 }).map((marks) => marks.join(""));
  fc.assert(
    fc.property(fc.constantFrom("", ...MARKS), unit, fc.constantFrom("", ...MARKS), assertLinear),
    { numRuns: runs(30) },
  );
});

/** Descriptions that held the server up, or ended a page with status 500. */
const DESCRIPTIONS = [
  `${"\n".repeat(999_990)}x`,
  "[".repeat(1_000_000),
  "a" + "\u0301\u0316".repeat(499_990),
  "!".repeat(1_000_000),
  "> ".repeat(500_000),
  "- ".repeat(500_000),
  "**a".repeat(333_333),
];

testOnDatabases("A description of punctuation is stored, found and shown", async (database) => {
  const items = DESCRIPTIONS.map((feature_description, index) =>
    makeItem(index + 1, { feature_description })
  );
  await using app = await serve(database, items, { ROADMAP_VARIANT: "both" });
  const paths = items.map(({ release_item_id }) => `/release/${release_item_id}`);
  for (const path of ["/", "/?q=feature", ...READ_PATHS, ...paths]) {
    let status = 503;
    // A machine that does much else is too busy for a search of all of them, and says to try again.
    for (let tries = 0; status === 503 && tries < 5; tries++) {
      const response = await app.fetch(path);
      await response.body?.cancel();
      status = response.status;
    }
    assertEquals([path, status], [path, 200]);
  }
  const { pagination } = await app.json("/api/releases");
  assertEquals(pagination.total_items, items.length);
});

testOnDatabases(
  "A long description is cut, and one of punctuation is shown unchanged",
  async (database) => {
    const text = `**Bold** ${"word ".repeat(5_000)}`;
    const marks = `${"*".repeat(1_001)} <b>one</b> & two\nthree\n\n\n\nfour`;
    await using app = await serve(database, [
      makeItem(1, { feature_description: text }),
      makeItem(2, { feature_description: marks }),
      makeItem(3, { feature_description: `${"x".repeat(19_999)}😀` }),
    ]);
    const show = async (number: number) => {
      const { release_item_id } = makeItem(number);
      const page = await (await app.fetch(`/release/${release_item_id}`)).text();
      return /<div class="description prose" dir="auto">(.*?)<\/div>/s.exec(page)![1]!;
    };
    const shown = await show(1);
    assert(shown.startsWith("<p><strong>Bold</strong> word word"), shown.slice(0, 60));
    assert(shown.length < 20_100, String(shown.length));
    assert(shown.trim().endsWith(" …</p>"), shown.slice(-60));
    assert((await show(2)).includes("* &lt;b&gt;one&lt;/b&gt; &amp; two<br>three"), await show(2));
    assert((await show(2)).endsWith("</p><p>four<br></p>"), await show(2));
    assert((await show(3)).includes("x …"), (await show(3)).slice(-60));
  },
);

testOnDatabases("A search finds words far into a description", async (database) => {
  const feature_description = `${"hay ".repeat(8_000)}a needle ${"hay ".repeat(8_000)}`;
  await using app = await serve(database, [makeItem(1, { feature_description })]);
  const page = await (await app.fetch("/?q=needle")).text();
  assert(/<p class="excerpt"><bdi>… (hay )+a <mark>needle<\/mark> (hay )+…<\/bdi><\/p>/.test(page));
});
