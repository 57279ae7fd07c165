import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import settings from "../../deno.json" with { type: "json" };

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** Words that CONTRIBUTING.md bans from user-facing text. */
const AVOIDED =
  /\b(told|tell|tells|telling|kept of|mend|mends|mended|wish|wishes|mails|looks? into|whoever|taken? away|first said|not quite right|link has ended|goes by)\b/gi;

const SOURCES = ["routes", "islands", "lib", "commands", "tools"];
const DOCUMENTS = ["docs", "."];
/** The specification, the history, and the list of these words itself. */
const NOT_WATCHED = ["docs/interface.md", "CHANGELOG.md", "CONTRIBUTING.md"];

Deno.test("User-facing text has none of the words that CONTRIBUTING.md bans", () => {
  const found: string[] = [];
  const descriptions = Object.values(settings.tasks).map(({ description }) => description);
  for (const path of listFiles(SOURCES, /(?<!_sql)\.tsx?$/)) {
    found.push(
      ...findAvoided(path, sentencesOf(Deno.readTextFileSync(PROJECT + path))),
    );
  }
  found.push(...findAvoided("deno.json", descriptions));
  for (const path of listFiles(DOCUMENTS, /\.md$/)) {
    found.push(
      ...findAvoided(path, [proseOf(Deno.readTextFileSync(PROJECT + path))]),
    );
  }
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
      .filter((entry) => entry.isFile() && name.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(PROJECT.length))
  ).filter((path) => !NOT_WATCHED.includes(path));
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

/** A document without its code. */
function proseOf(document: string): string {
  return document.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`]*`/g, "");
}
