/**
 * Gives the messages of a language to translators, and takes them back, as gettext's PO: Weblate,
 * Crowdin and Poedit read it, with the notes of messages/notes/.
 *
 *     deno task messages export de > de.po
 *     deno task messages import de < de.po
 */
import { existsSync } from "node:fs";
import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import english from "../messages/en.json" with { type: "json" };
import notes from "../messages/notes/en.json" with { type: "json" };
import { ExpectedError } from "../lib/expected_error.ts";
import type { Catalog } from "../lib/text/messages.ts";

if (import.meta.main) {
  try {
    await run(Deno.args);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    console.error(error.message);
    Deno.exit(2);
  }
}

/** Writes or reads the messages of a language, which may be new. */
async function run([action, tag = ""]: string[]): Promise<void> {
  if ((action !== "export" && action !== "import") || tag === "") {
    throw new ExpectedError("Usage: deno task messages export|import LANGUAGE");
  }
  if (!/^[a-z]{2,3}(-[A-Z]\w+)?$/.test(tag)) {
    throw new ExpectedError(`"${tag}" must be a language such as de or pt-BR`);
  }
  const file = new URL(`../messages/${tag}.json`, import.meta.url);
  const before = existsSync(file) ? JSON.parse(await Deno.readTextFile(file)) : {};
  if (action === "export") return console.log(writePo(tag, before));
  const text = await new Response(Deno.stdin.readable).text();
  await Deno.writeTextFile(file, formatCatalog(readPo(text, before)));
}

/** A catalog as its file has it. */
export function formatCatalog(catalog: Catalog): string {
  return `${JSON.stringify(catalog, null, 2)}\n`;
}

/** The messages of a language for translators: English, the translation, and notes. */
export function writePo(tag: string, catalog: Catalog): string {
  const header = `msgid ""\nmsgstr ""\n` +
    `"Language: ${tag}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"`;
  const entries = Object.entries(english).map(([key, text]) =>
    [
      ...listNotes(key, text).map((note) => `#. ${note}`),
      "#, icu-message-format",
      `msgctxt ${JSON.stringify(key)}`,
      `msgid ${JSON.stringify(text)}`,
      `msgstr ${JSON.stringify(catalog[key] ?? "")}`,
    ].join("\n")
  );
  return [header, ...entries].join("\n\n");
}

/** Where a message stands, and what its values are. */
function listNotes(key: string, text: string): string[] {
  const [group] = key.split(".") as [keyof typeof notes.groups];
  return [
    notes.groups[group],
    ...valuesIn(parse(text)).map((name) =>
      `{${name}}: ${notes.values[name as keyof typeof notes.values]}`
    ),
  ];
}

/** The names of values in a message, each once. */
export function valuesIn(elements: readonly MessageFormatElement[]): string[] {
  return [
    ...new Set(elements.flatMap((element) => {
      switch (element.type) {
        case TYPE.argument:
          return [element.value];
        case TYPE.tag:
          return valuesIn(element.children);
        case TYPE.plural:
        case TYPE.select:
          return [
            element.value,
            ...Object.values(element.options).flatMap(({ value }) => valuesIn(value)),
          ];
        default:
          return [];
      }
    })),
  ];
}

/**
 * What translators have written: without what is empty or marked as fuzzy, and without messages that
 * there are no longer. What a language says with no word, such as a blank between sentences, stays.
 *
 * @throws {ExpectedError} a line is no PO, or nothing is translated, so that all would be lost
 */
export function readPo(text: string, before: Catalog = {}): Catalog {
  const found = new Map<string, string>();
  for (const entry of text.split(/\r?\n\s*\r?\n/)) {
    const fields: Record<string, string> = {};
    let field = "";
    for (const line of entry.split(/\r?\n/)) {
      if (line.startsWith("#~") || /^#,.*\bfuzzy\b/.test(line)) break;
      const [, name = field, quoted] = /^(?:(\w+) )?(".*")\s*$/.exec(line) ?? [];
      if (quoted === undefined) continue;
      field = name;
      fields[field] = (fields[field] ?? "") + unquote(quoted);
    }
    if (fields.msgctxt && fields.msgstr) found.set(fields.msgctxt, fields.msgstr);
  }
  if (found.size === 0) throw new ExpectedError("The PO file must have at least one translation");
  return Object.fromEntries(
    Object.keys(english).flatMap((key) => {
      const words = found.get(key) ?? (before[key] === "" ? "" : undefined);
      return words === undefined ? [] : [[key, words]];
    }),
  );
}

function unquote(quoted: string): string {
  try {
    return JSON.parse(quoted);
  } catch {
    throw new ExpectedError(`The PO file has a text that is not quoted right: ${quoted}`);
  }
}
