import { deepStrictEqual as assertEquals, match, throws } from "node:assert/strict";
import { parse } from "@formatjs/icu-messageformat-parser";
import english from "../../messages/en.json" with { type: "json" };
import notes from "../../messages/notes/en.json" with { type: "json" };
import { LANGUAGES } from "../../lib/text/languages.ts";
import { formatCatalog, readPo, valuesIn, writePo } from "../../tools/messages_po.ts";

Deno.test("Each message has a note for translators, and each of its values", () => {
  const groups = new Set(Object.keys(english).map((key) => key.split(".")[0]!));
  const values = new Set(Object.values(english).flatMap((text) => valuesIn(parse(text))));
  assertEquals(Object.keys(notes.groups), [...groups].sort());
  assertEquals(Object.keys(notes.values), [...values].sort());
});

Deno.test("What translators get and give back changes nothing that they did not change", async () => {
  for (const tag of LANGUAGES) {
    const file = await Deno.readTextFile(new URL(`../../messages/${tag}.json`, import.meta.url));
    const catalog = JSON.parse(file);
    assertEquals(formatCatalog(readPo(writePo(tag, catalog), catalog)), file);
  }
});

Deno.test("Translators read where a message stands, and what its values are", () => {
  const po = writePo("de", { "remind.more": "und {count} weitere" });
  match(
    po,
    /#\. Emails that remind of a planned date\n#\. \{count\}: a number\n#, icu-message-format\nmsgctxt "remind\.more"\nmsgid "and \{count\} more you watch"\nmsgstr "und \{count\} weitere"\n/,
  );
});

Deno.test("What is empty, fuzzy or gone is not taken, and long texts may be folded", () => {
  const entry = (key: string, words: string, flag = "") =>
    `${flag}msgctxt "${key}"\nmsgid "x"\nmsgstr ${words}\n`;
  assertEquals(
    readPo([
      'msgid ""\nmsgstr "Language: de\\n"\n',
      entry("remind.more", '""\n"und {count} "\n"weitere"'),
      entry("share.csv", '""'),
      entry("theme.dark", '"Dunkel"', "#, fuzzy, icu-message-format\n"),
      entry("gone.message", '"weg"'),
    ].join("\n")),
    { "remind.more": "und {count} weitere" },
  );
});

Deno.test("A translation that cannot be read is refused, and loses nothing", () => {
  for (
    const [text, said] of [
      ["", "The PO file must have at least one translation"],
      [
        'msgctxt "remind.more"\nmsgstr "a \\x"\n',
        /^The PO file has a text that is not quoted right: /,
      ],
    ] as const
  ) {
    throws(() => readPo(text, { "remind.more": "und {count} weitere" }), { message: said });
  }
});

Deno.test("A new language begins with an empty translation of all messages", async () => {
  const run = (...words: string[]) =>
    new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-RW", "tools/messages_po.ts", ...words],
      cwd: new URL("../../", import.meta.url),
      env: { NO_COLOR: "1" },
    }).output();
  const { code, stdout } = await run("export", "sv");
  const po = new TextDecoder().decode(stdout);
  assertEquals([code, po.match(/^msgstr ""$/gm)?.length], [0, Object.keys(english).length + 1]);
  for (const words of [[], ["export"], ["import", "../de"], ["export", "x"], ["send", "de"]]) {
    const { code, stderr } = await run(...words);
    const said = new TextDecoder().decode(stderr);
    assertEquals(code, 2, words.join(" "));
    match(said, /^(Usage: deno task messages|"[^"]*" must be a language such as de or pt-BR\n$)/);
  }
});
