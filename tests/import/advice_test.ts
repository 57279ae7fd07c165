import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { FIELD_NAMES } from "../../lib/import/mapping/fields.ts";
import { type ReadTable, readTable, type Said } from "../support/read_table.ts";
import { readExpected } from "../support/tool_files.ts";

/** The most sentences that a person follows for one file. */
const MAX_ROUNDS = 12;

type Fields = Record<string, unknown>;

/** The parts of a mapping that a sentence shows; "COLUMN" stands for what nobody can know. */
function shownIn(sentence: string): Fields[] {
  const shown: Fields[] = [];
  for (
    let at = sentence.indexOf("{");
    at !== -1;
    at = sentence.indexOf("{", at + 1)
  ) {
    for (
      let end = sentence.indexOf("}", at);
      end !== -1;
      end = sentence.indexOf("}", end + 1)
    ) {
      try {
        shown.push(JSON.parse(sentence.slice(at, end + 1)));
        at = end;
        break;
      } catch {
        // An inner object ends before the outer one.
      }
    }
  }
  const [, format] = /with a "format" in the mapping, "([^"]+)"/.exec(sentence) ?? [];
  if (format !== undefined) shown.push({ format });
  return shown.filter((one) => !JSON.stringify(one).includes('"COLUMN"'));
}

/** What a sentence says to do; null: nothing, or nothing new. */
function adviceIn(sentence: string, { used }: ReadTable, said: Said): Said | null {
  const [, sheet] = /, "([^"]+)"(?:, "[^"]+")*: name one with --sheet/.exec(sentence) ?? [];
  if (sheet !== undefined) return { ...said, sheet };
  for (const part of shownIn(sentence)) {
    const isWhole = Object.keys(part).every((key) =>
      key === "where" || (FIELD_NAMES as readonly string[]).includes(key)
    );
    const [, column] = /(?:^|: )"((?:[^"\\]|\\.)+)"(?:: | is )/.exec(sentence) ?? [];
    const field = isWhole
      ? null
      : "tones" in part
      ? "release_status"
      : Object.keys(used).find((name) => fromOf(used[name]) === column) ?? null;
    if (!isWhole && field === null) continue;
    const before = said.fields?.[field ?? ""] ?? used[field ?? ""];
    const rule = typeof before === "string" ? { from: before } : { ...before as Fields };
    const fields = isWhole
      ? { ...said.fields, ...part }
      : { ...said.fields, [field!]: mergeRules(rule, part) };
    if (JSON.stringify(fields) !== JSON.stringify(said.fields)) {
      return { ...said, fields };
    }
  }
  return null;
}

function fromOf(rule: unknown): unknown {
  return typeof rule === "string" ? rule : (rule as Fields | undefined)?.from;
}

/** Several words of none, several values, several tones add up. */
function mergeRules(rule: Fields, part: Fields): Fields {
  const merged = { ...rule };
  for (const [key, value] of Object.entries(part)) {
    const before = merged[key];
    merged[key] = Array.isArray(value)
      ? [...new Set([...before as unknown[] ?? [], ...value])]
      : typeof value === "object"
      ? { ...before as Fields, ...value }
      : value;
  }
  return merged;
}

/** Follows what is said of a table, one sentence after another. */
async function follow(name: string, content: string | Uint8Array, start: Said = {}) {
  let said = start;
  let read = await readTable(name, content, said);
  const followed: string[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const sentences = [read.refused ?? "", ...read.problems, ...read.notes];
    const found = sentences.map((one) => [one, adviceIn(one, read, said)] as const)
      .find(([, advice]) => advice !== null);
    if (!found) break;
    followed.push(found[0]);
    said = found[1]!;
    read = await readTable(name, content, said);
  }
  return { read, followed, said };
}

Deno.test("Who does what is said of a file has it read, and publishes nothing private", async () => {
  for (const { file, not, encoding } of readExpected()) {
    const bytes = await Deno.readFile(
      new URL(`../fixtures/tools/${file}`, import.meta.url),
    );
    const { read, followed } = await follow(file, bytes, { encoding });
    if (followed.length === 0) continue;
    assertEquals([file, followed, read.refused, read.problems], [file, followed, null, []]);
    assert(read.items.length > 0, file);
    const published = read.items.map(({ feature_name }) => feature_name);
    assertEquals([file, not.filter((name) => published.includes(name))], [file, []]);
  }
});

/** Tables of which something is asked or advised, and the releases when that is done. */
const TABLES: readonly (readonly [
  text: string,
  releases: readonly (readonly (string | null)[])[],
])[] = [
  ["Title,Status,Wann\nA,Planned,2026-09-30\n", [["A", "2026-09-30"]]],
  ["Title,Status,Due\nA,Planned,soon\nB,Planned,2026-09-30\n", [["A", null], ["B", "2026-09-30"]]],
  ["Title,Status,Due\nA,Planned,Sprint 12\n", [["A", "2026-09-30"]]],
  ["Title,Status,Due\nA,Planned,6/7/2026\n", [["A", "2026-07-06"]]],
  ["Title,Status,Due\nA,Planned,Q4\n", [["A", "2026-12-31"]]],
  ["Title,Status,Due date,Target date\nA,Planned,2026-09-30,2026-12-31\n", [["A", "2026-09-30"]]],
  ["Title,Due\nA,2026-09-30\n", [["A", "2026-09-30"]]],
  ["Title,Status,Visibility\nA,Planned,Circle A\nB,Planned,Circle B\n", [["A", null]]],
  [
    "Title,Status,When?\nA,Planned,2026-09-30\nB,Planned,Q1 2027\nC,Planned,Later\n",
    [["A", "2026-09-30"], ["B", "2027-03-31"], ["C", "2027-12-31"]],
  ],
  [
    "Title,Status,Public,Starts\nA,Waved 2,TRUE,2026-01-01\nB,Waved 2,FALSE,2026-01-01\n",
    [["A", null]],
  ],
];

Deno.test("What is advised of a table works", async () => {
  for (const [text, releases] of TABLES) {
    const { read, followed } = await follow("plan.csv", text);
    const found = read.items.map((item) => [item.feature_name, item.release_date]);
    assertEquals([text, read.problems, found], [text, [], releases]);
    assert(followed.length > 0, text);
  }
});
