import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { makeLanguage, readLanguage, say, speak } from "../../lib/text/messages.ts";
import { listInWords } from "../../lib/text/phrases.ts";
import { formatDay } from "../../lib/text/dates.ts";
import { renewLanguages } from "../../tools/languages_table.ts";
import { readSources } from "../support/sources.ts";

const FOLDER = new URL("../../messages/", import.meta.url);

const english = readCatalog("en.json");
const catalogs = readdirSync(FOLDER).filter((name) => name.endsWith(".json") && name !== "en.json")
  .map(readCatalog);

interface Entry {
  text: string;
  line: number;
}

interface Catalog {
  name: string;
  tag: string;
  entries: Map<string, Entry>;
  faults: string[];
}

function readCatalog(name: string): Catalog {
  const lines = Deno.readTextFileSync(new URL(name, FOLDER)).split("\n");
  const entries = new Map<string, Entry>();
  const faults: string[] = [];
  lines.forEach((text, index) => {
    const line = index + 1;
    const found = /^ {2}("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),?$/.exec(text);
    if (!found) {
      if (!/^[{}]?$/.test(text)) {
        faults.push(`${name}:${line}: a line has one message`);
      }
      return;
    }
    const key = JSON.parse(found[1]!) as string;
    if (entries.has(key)) faults.push(`${name}:${line}: ${key} is there twice`);
    entries.set(key, { text: JSON.parse(found[2]!), line });
  });
  return { name, tag: name.replace(".json", ""), entries, faults };
}

/** What a message takes: the names of its parameters, and of the elements in it. */
function namesIn(elements: readonly MessageFormatElement[]): Set<string> {
  const names = new Set<string>();
  for (const element of elements) {
    if (element.type === TYPE.argument) names.add(element.value);
    if (element.type === TYPE.tag) {
      names.add(`<${element.value}>`);
      for (const name of namesIn(element.children)) names.add(name);
    }
    if (element.type === TYPE.plural || element.type === TYPE.select) {
      names.add(element.value);
      for (const { value } of Object.values(element.options)) {
        for (const name of namesIn(value)) names.add(name);
      }
    }
  }
  return names;
}

/** What is wrong with a message of a language. */
function* faultsOf(text: string, tag: string): Generator<string> {
  let elements: MessageFormatElement[];
  try {
    elements = parse(text);
  } catch (error) {
    return yield `is no message: ${(error as Error).message}`;
  }
  const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  yield* pluralFaults(elements, wanted);
}

function* pluralFaults(
  elements: readonly MessageFormatElement[],
  wanted: readonly string[],
): Generator<string> {
  for (const element of elements) {
    if (element.type === TYPE.tag) {
      yield* pluralFaults(element.children, wanted);
    }
    if (element.type !== TYPE.plural && element.type !== TYPE.select) {
      if (
        [TYPE.argument, TYPE.literal, TYPE.pound, TYPE.tag].every((type) => type !== element.type)
      ) yield "has a format: numbers and dates are formatted by what calls";
      continue;
    }
    const names = Object.keys(element.options);
    if (!names.includes("other")) yield `has no "other" for ${element.value}`;
    if (element.type === TYPE.plural) {
      const exact = names.filter((name) => /^=\d+$/.test(name));
      const forms = names.filter((name) => !exact.includes(name));
      const wrong = forms.filter((name) => !wanted.includes(name));
      const missing = wanted.filter((name) =>
        !forms.includes(name) && !(name === "one" && exact.includes("=1")) &&
        // Only millions and fractions have it (CLDR), and these are counts of things.
        !(name === "many" && wanted.length === 3) && name !== "other"
      );
      if (wrong.length > 0) {
        yield `has the plural forms ${wrong.join(", ")} for ${element.value}; right are ${
          wanted.join(", ")
        }`;
      }
      if (missing.length > 0) {
        yield `has no plural form ${missing.join(", ")} for ${element.value}`;
      }
    }
    for (const { value } of Object.values(element.options)) {
      yield* pluralFaults(value, wanted);
    }
  }
}

Deno.test("Every language is offered, and every offered language is there", () => {
  const there = [english, ...catalogs].map(({ tag }) => tag).sort();
  assertEquals(there, [...LANGUAGES].sort());
});

Deno.test("The messages of a language have the parameters and plural forms that they need", () => {
  const faults = [...english.faults];
  for (const [key, { text, line }] of english.entries) {
    for (const fault of faultsOf(text, "en")) {
      faults.push(`en.json:${line}: ${key} ${fault}`);
    }
  }
  for (const { name, tag, entries, faults: own } of catalogs) {
    faults.push(...own);
    for (const [key, { text, line }] of entries) {
      const at = `${name}:${line}: ${key}`;
      const right = english.entries.get(key);
      if (!right) {
        faults.push(`${at} is not in en.json`);
        continue;
      }
      const wrong = [...faultsOf(text, tag)];
      faults.push(...wrong.map((fault) => `${at} ${fault}`));
      if (wrong.some((fault) => fault.startsWith("is no"))) continue;
      const [wanted, given] = [
        namesIn(parse(right.text)),
        namesIn(parse(text)),
      ];
      for (const one of wanted.difference(given)) {
        faults.push(`${at} has no {${one}}`);
      }
      for (const one of given.difference(wanted)) {
        faults.push(`${at} has {${one}}, which en has not`);
      }
    }
  }
  assertEquals(faults, []);
});

/** What is typed on a keyboard and not written so in a language; `{values}` are left out. */
const TYPED: readonly (readonly [tag: string, sign: RegExp, right: string])[] = [
  [
    "*",
    /\.{3}|"|\p{L}'\p{L}/u,
    "… and the quotation marks and apostrophes of the language",
  ],
  [
    "fr",
    /[^\u202f][;?!](?=\s|$)|[^\u00a0]:(?=\s|$)|«[^\u00a0]|[^\u00a0]»/,
    "spaces that no line ends at",
  ],
  [
    "ja",
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][,.!?:;](?!\p{L})/u,
    "full-width signs",
  ],
  ["ar", /\p{Script=Arabic}\s?[,;?]/u, "، ؛ and ؟"],
];

function* typingFaults(text: string, tag: string): Generator<string> {
  for (const [of, sign, right] of TYPED) {
    if ((of === "*" || of === tag) && sign.test(text)) yield `needs ${right}`;
  }
}

/** Its texts, without what its parameters stand for. */
function textsIn(elements: readonly MessageFormatElement[]): string {
  return elements.map((element) => {
    if (element.type === TYPE.literal) return element.value;
    if (element.type === TYPE.tag) return textsIn(element.children);
    if (element.type !== TYPE.plural && element.type !== TYPE.select) {
      return "\u2060";
    }
    return Object.values(element.options).map(({ value }) => textsIn(value))
      .join("\n");
  }).join("");
}

Deno.test("Signs are written as a language writes them", () => {
  const faults = catalogs.flatMap(({ name, tag, entries }) =>
    [...entries].flatMap(([key, { text, line }]) =>
      [...typingFaults(textsIn(parse(text)), tag)].map((fault) =>
        `${name}:${line}: ${key} ${fault}`
      )
    )
  );
  assertEquals(faults, []);
  const found = (text: string, tag: string) => [...typingFaults(textsIn(parse(text)), tag)].length;
  assertEquals(found("Déjà abonné ?", "fr"), 1);
  assertEquals(found("Déjà abonné\u202f? {site}\u00a0: oui", "fr"), 0);
  assertEquals(
    found("保存しました.", "ja") + found("متى?", "ar") +
      found("Suche läuft...", "de"),
    3,
  );
});

/** What must not be in a language: another form of address, a reader who is a man, a term of another message. */
const NEVER: Readonly<Record<string, RegExp>> = {
  de: /(?<!\p{L})(du|dein\p{L}*|bekomm\p{L}*|abonnent)(?!\p{L})/iu,
  es: /(?<!\p{L})(tú|tus?|elige|suscrit[oa]s?\.)(?!\p{L})/iu,
  fr: /(?<!\p{L})(tu|ton|tes|(dés)?abonné)(?!\p{L})/iu,
  it:
    /(?<!\p{L})(Lei|Suo|Sua|Suoi|Sue|[Ss]celga|[Ii]nserisca|[Cc]onfermi|[Rr]iprovi|[Dd]esidera|Ottenga|Veda)(?!\p{L})/u,
  nl: /(?<!\p{L})(je|jij|jouw)(?!\p{L})/iu,
  pl: /(?<!\p{L})(proszę|pani?|państw\p{L}+)(?!\p{L})/iu,
};

Deno.test("Each language addresses its readers in one way", () => {
  const faults = catalogs.flatMap(({ name, tag, entries }) =>
    [...entries].flatMap(
      ([key, { text, line }]) => {
        const found = NEVER[tag]?.exec(textsIn(parse(text)));
        return found ? [`${name}:${line}: ${key} says “${found[0]}”`] : [];
      },
    )
  );
  assertEquals(faults, []);
  assertEquals(
    NEVER.it!.test("Confermi l’iscrizione") && NEVER.pl!.test("Proszę czekać"),
    true,
  );
});

Deno.test("The documents show the share of messages that each language has", async () => {
  assertEquals(
    await Deno.readTextFile(
      new URL("../../docs/languages.md", import.meta.url),
    ),
    await renewLanguages(),
    "Run `deno task generate`",
  );
});

Deno.test("A message that a language lacks is said in English", () => {
  const before = speak(makeLanguage("sv", { "list.more": "{count} till" }));
  try {
    assertEquals([say("list.more", { count: 3 }), say("layout.rss_feed")], [
      "3 till",
      "RSS feed",
    ]);
  } finally {
    speak(before);
  }
});

Deno.test("A day and a list inside of an Arabic sentence run from the right", () => {
  const before = speak(readLanguage("ar"));
  try {
    const day = formatDay("2026-11-28");
    const said = say("filter.modified_since", { day });
    // A first-strong isolate around isolates would show the year before the day.
    assertEquals(said.includes(`\u2067${day}\u2069`), true, said);
    assertEquals(/\u2068[^\u2069]*\u2068/.test(said), false, said);
    assertEquals(
      say("problem.no_day", { day: "2026-02-30" }).includes(
        "\u20682026-02-30\u2069",
      ),
      true,
    );
    assertEquals(
      [
        ...listInWords(["Audit log", "Keys"]).matchAll(
          /\u2068[^\u2069]+\u2069/g,
        ),
      ].length,
      2,
    );
  } finally {
    speak(before);
  }
});

Deno.test("Faults of a catalog are found", () => {
  const found = (text: string, tag = "pl") => [...faultsOf(text, tag)];
  assertEquals(found("{n, plural, one {# a} other {# b}}"), [
    "has no plural form few, many for n",
  ]);
  assertEquals(
    found("{n, plural, two {# a} few {#} many {#} one {#} other {# b}}"),
    [
      "has the plural forms two for n; right are one, few, many, other",
    ],
  );
  assertEquals(found("{n, number}", "de"), [
    "has a format: numbers and dates are formatted by what calls",
  ]);
  assertEquals(found("{n", "de").length, 1);
});

/** Messages that all languages say alike, and why they are two. */
const ALIKE: readonly (readonly [keys: string, reason: string])[] = [];

Deno.test("What all languages say alike is one message", () => {
  const alike = Map.groupBy(english.entries, ([key, { text }]) => {
    // The names of parameters do not matter.
    const names = [...namesIn(parse(text))];
    return [english, ...catalogs].map(({ entries }) =>
      entries.get(key)?.text.replace(
        /\{(\w+)(?=[},])/g,
        (found, name: string) => names.includes(name) ? `{${names.indexOf(name)}` : found,
      )
    ).join("\n");
  });
  const keys = [...alike.values()].filter(({ length }) => length > 1)
    .map((entries) => entries.map(([key]) => key).join(" "));
  assertEquals(keys, ALIKE.map(([keys]) => keys));
});

/** Names that are made of a group and a value, such as `kind.` and what a kind is. */
const GROUPS = /say\(\s*`([a-z_.]+)\$\{/g;

Deno.test("Each message is used, with the values that it takes", () => {
  const used = new Set<string>();
  const groups = new Set<string>();
  const faults: string[] = [];
  for (const { path, text } of readSources()) {
    for (const [, name] of text.matchAll(/"([a-z_]+\.[a-z0-9_]+)"/g)) {
      used.add(name!);
    }
    for (const [, group, own] of text.matchAll(GROUPS)) {
      groups.add(group ?? `${own}.`);
    }
    for (
      const [, key, values] of text.matchAll(
        /\b(?:say|rich|said|reason)\(\s*"([a-z_.0-9]+)"(,|\))/g,
      )
    ) {
      const message = english.entries.get(key!);
      if (!message) continue;
      const wanted = [...namesIn(parse(message.text))];
      if ((values === ")") !== (wanted.length === 0)) {
        faults.push(
          `${path}: ${key} takes ${wanted.join(", ") || "no values"}`,
        );
      }
    }
  }
  const unused = [...english.entries.keys()].filter((key) =>
    !used.has(key) && ![...groups].some((group) => key.startsWith(group))
  );
  assertEquals({ unused, faults }, { unused: [], faults: [] });
});
