import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import fc from "fast-check";
import { type DiffPart, diffWords } from "../../lib/text/word_diff.ts";
import { slowTest } from "../support/slow.ts";

Deno.test("a diff has the removed and added words, with a few around them", () => {
  const start = "Users can now sign in with passkeys on every device, which replaces passwords. ";
  const end = " It needs no licence, and nothing has to be installed on any of these devices.";
  const parts = diffWords(
    `${start}It is on by default.${end}`,
    `${start}It is off, for now.${end}`,
  );
  assertEquals(write(parts), [
    "… passkeys on every device, which replaces passwords. It is",
    "- on by default",
    "+ off, for now",
    ". It needs no licence, and nothing has to be installed on …",
  ]);
});

Deno.test("a long text between two changes is shortened", () => {
  const middle = "The words in between stay as they were for ever and ever, and so on. ".repeat(9);
  const parts = diffWords(`First ${middle}last`, `Second ${middle}ultimate`);
  assertEquals(write(parts), [
    "-First",
    "+Second",
    " The words in between stay as they were for ever and ever, … in between stay as they were for ever and ever, and so on.",
    "- last",
    "+ ultimate",
  ]);
});

Deno.test("short words between changed ones belong to the change", () => {
  assertEquals(write(diffWords("Adds export to CSV.", "Adds import to JSON.")), [
    "Adds",
    "- export to CSV",
    "+ import to JSON",
    ".",
  ]);
});

Deno.test("languages without spaces are compared by their words", () => {
  assertEquals(write(diffWords("新しい機能は東京です。", "新しい機能は大阪です。")), [
    "新しい機能は",
    "-東京",
    "+大阪",
    "です。",
  ]);
});

Deno.test("texts whose words are the same have no diff", () => {
  assertEquals(diffWords("the  same\nwords", "the same words"), []);
  assertEquals(diffWords("", ""), []);
});

slowTest("a diff holds both texts, whatever they are", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(fc.constantFrom("one", "two", ",", "three", " ", "\n", "漢字", "é"), { maxLength: 40 })
      .map((words) => words.join(" ")),
  );
  fc.assert(fc.property(text, text, (before, after) => {
    const parts = diffWords(before, after, { context: 1e6, change: 1e6, all: 1e6 });
    if (parts.length === 0) return assertEquals(letters(before), letters(after));
    const only = (kind: DiffPart["kind"]) =>
      parts.filter((part) => part.kind === "kept" || part.kind === kind).map(({ text }) => text)
        .join("");
    assertEquals(letters(only("removed")), letters(before));
    assertEquals(letters(only("added")), letters(after));
  }));
});

Deno.test("a difference far inside long texts is found", () => {
  const long = "word ".repeat(100_000);
  assertEquals(write(diffWords(`${long}old ${long}`, `${long}new ${long}`, { context: 10 })), [
    "… word word",
    "- old",
    "+ new",
    " word word …",
  ]);
});

Deno.test("a difference in where texts were cut is no change", () => {
  const [before, after] = [
    `One ${"more words ".repeat(90)}`,
    `Two or three ${"more words ".repeat(90)}`,
  ];
  const cut = [before.slice(0, 500), after.slice(0, 500)] as const;
  const kinds = (parts: readonly DiffPart[]) => parts.map(({ kind }) => kind);
  assertEquals(kinds(diffWords(...cut, { isCut: true })), ["removed", "added", "kept"]);
  assert(kinds(diffWords(...cut)).length > 3);
  const long = `${before.repeat(30)}middle ${after.repeat(30)}`;
  const parts = diffWords(`old ${long}`, `new ones ${long.replace("middle", "centre")}`);
  assertEquals(kinds(parts), ["removed", "added", "kept"]);
});

Deno.test("hostile texts cost little time and space", () => {
  const word = (place: number) => `w${(place * 7919) % 1013} `;
  const pairs: [string, string][] = [
    [
      repeat(word, 200_000),
      repeat((place) => word(place * 3 + 1), 200_000),
    ],
    ["x".repeat(2_000_000), "y".repeat(2_000_000)],
    ["a\u0301".repeat(1_000_000), `a${"\u0301".repeat(2_000_000)}`],
    ["👩‍👩‍👧".repeat(200_000), "👩‍👩‍👦".repeat(200_000)],
    [repeat(word, 2_000), repeat((place) => place % 40 ? word(place) : "other ", 2_000)],
  ];
  const started = performance.now();
  for (const [before, after] of pairs) {
    const parts = diffWords(before, after);
    const shown = parts.map(({ text }) => text).join("");
    assert(parts.length > 1 && shown.length < 1_000, `${parts.length} parts, ${shown.length}`);
    assert(parts.every(({ text }) => text.isWellFormed()), "half a character");
  }
  // Some tenths of a second; all edits of the first pair alone would take minutes.
  assert(performance.now() - started < 20_000, "comparing long texts takes too long");
});

function write(parts: readonly DiffPart[]): string[] {
  const marks = { kept: "", removed: "-", added: "+" };
  return parts.map(({ kind, text }) => marks[kind] + text);
}

function letters(text: string): string {
  return text.replace(/\s+/g, "");
}

function repeat(make: (place: number) => string, count: number): string {
  return Array.from({ length: count }, (_, place) => make(place)).join("");
}
