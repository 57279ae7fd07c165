/**
 * Gives the messages of a language to translators, and takes them back, as gettext's PO: Weblate,
 * Crowdin and Poedit read it, with the notes of messages/notes/.
 *
 *     deno task messages export de > de.po
 *     deno task messages import de < de.po
 */
import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import english from "../messages/en.json" with { type: "json" };
import notes from "../messages/notes/en.json" with { type: "json" };
import type { Catalog } from "../lib/text/messages.ts";

if (import.meta.main) {
  const [action, tag = ""] = Deno.args;
  const file = new URL(`../messages/${tag}.json`, import.meta.url);
  if (action === "export") {
    console.log(writePo(tag, JSON.parse(await Deno.readTextFile(file))));
  } else if (action === "import") {
    const text = await new Response(Deno.stdin.readable).text();
    const before = JSON.parse(await Deno.readTextFile(file));
    await Deno.writeTextFile(file, formatCatalog(readPo(text, before)));
  } else {
    console.error("Usage: deno task messages export|import LANGUAGE");
    Deno.exit(2);
  }
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
      fields[field] = (fields[field] ?? "") + JSON.parse(quoted);
    }
    if (fields.msgctxt && fields.msgstr) found.set(fields.msgctxt, fields.msgstr);
  }
  return Object.fromEntries(
    Object.keys(english).flatMap((key) => {
      const words = found.get(key) ?? (before[key] === "" ? "" : undefined);
      return words === undefined ? [] : [[key, words]];
    }),
  );
}
