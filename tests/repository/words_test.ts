import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import english from "../../messages/en.json" with { type: "json" };
import settings from "../../deno.json" with { type: "json" };

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** Words that CONTRIBUTING.md bans from user-facing text. */
const AVOIDED =
  /\b(told|tell|tells|telling|kept of|mend|mends|mended|wish|wishes|mails|looks? into|whoever|taken? away|first said|not quite right|link has ended|taken back|with a new date|without a date now|untick(?:s|ed)?|goes by|anew|be it|in place of|(?:a|each|every|this) mail(?! server| service| scanner| program))\b/gi;

const SOURCES = [
  "routes",
  "islands",
  "scripts",
  "components",
  "lib",
  "commands",
  "tools",
];
const DOCUMENTS = ["docs", "."];
/** The specification, the history, the list of these words itself, and the test of it. */
const NOT_WATCHED = [
  "docs/interface.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "tests/repository/words_test.ts",
];

Deno.test("User-facing text has none of the words that CONTRIBUTING.md bans", () => {
  const found: string[] = [];
  const descriptions = Object.values(settings.tasks).map(({ description }) => description);
  for (const path of listFiles(SOURCES, /(?<!_sql)\.tsx?$/)) {
    found.push(
      ...findAvoided(path, sentencesOf(Deno.readTextFileSync(PROJECT + path))),
    );
  }
  found.push(...findAvoided("messages/en.json", Object.values(english)));
  found.push(...findAvoided("deno.json", descriptions));
  for (const path of listFiles(DOCUMENTS, /\.md$/)) {
    found.push(
      ...findAvoided(path, [proseOf(Deno.readTextFileSync(PROJECT + path))]),
    );
  }
  assertEquals(found, []);
});

Deno.test("Titles of tests have none of these words either", () => {
  const found = listFiles(["tests"], /^(?!.*node_modules).*_test\.tsx?$/)
    .flatMap((path) => findAvoided(path, titlesOf(Deno.readTextFileSync(PROJECT + path))));
  assertEquals(found, []);
});

Deno.test("Banned words are found in strings, templates, JSX text and documents", () => {
  const source = [
    'import { tell } from "./told.ts"; // whoever',
    "const told = kept.mails(); /* wishes */",
    'const one = "Look into your mail", two = `${tell()} tells ${told}`;',
    "const page = <p>To the list: <b>whoever</b> {name} wishes\n more</p>;",
  ].join("\n");
  assertEquals(
    findAvoided("page.tsx", sentencesOf(source)),
    ["Look into", "tells", "whoever", "wishes"].map((words) => `page.tsx: "${words}"`),
  );
  const test = 'Deno.test("Whoever asks", f); testOnDatabases(\n  `It tells ${all}`,\n  f);';
  assertEquals(findAvoided("a_test.ts", titlesOf(test)), [
    'a_test.ts: "Whoever"',
    'a_test.ts: "tells"',
  ]);
  assertEquals(
    findAvoided("a.md", [proseOf("`tell()` is\n```\ntold\n```\na wish")]),
    [
      'a.md: "wish"',
    ],
  );
});

function listFiles(folders: readonly string[], name: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(PROJECT, folder), {
      withFileTypes: true,
      recursive: folder !== ".",
    })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length))
  ).filter((path) => name.test(path) && !NOT_WATCHED.includes(path));
}

function findAvoided(path: string, sentences: readonly string[]): string[] {
  return sentences.flatMap((sentence) =>
    [...sentence.matchAll(AVOIDED)].map(([words]) => `${path}: "${words}"`)
  );
}

const STRING = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** Strings and templates of several words, and JSX text. */
function sentencesOf(source: string): string[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
    .replace(/^import [\s\S]*? from "[^"]*";/gm, "");
  const strings = [...code.matchAll(STRING)]
    .map(([, string, template]) => string ?? template!.replace(/\$\{[^}]*\}/g, ""))
    .filter((text) => text.includes(" "));
  const texts = [
    ...code.replace(STRING, '""').matchAll(/[>}]([^<>{}()=;"]+)(?=[<{])/g),
  ]
    .map(([, text]) => text!);
  return [...strings, ...texts];
}

/** What a file calls its tests, of whatever function makes them. */
function titlesOf(source: string): string[] {
  return [
    ...source.matchAll(
      /\b(?:test|test[A-Z]\w*|step|slowTest|slowOnDatabases)\(\s*["`](.*?)["`],|^ +name: "(.*? .*?)",$/gm,
    ),
  ]
    .map(([, title, name]) => title ?? name!);
}

/** A document without its code. */
function proseOf(document: string): string {
  return document.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`]*`/g, "");
}
