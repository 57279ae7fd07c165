import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import english from "../../messages/en.json" with { type: "json" };
import {
  formatDay,
  formatLongDay,
  formatMonth,
  formatNarrow,
  formatPlanned,
} from "../../lib/text/dates.ts";
import { joinFacts, joinMoves, joinSentences, sortAlike } from "../../lib/text/phrases.ts";
import { KINDS } from "../../lib/text/joins.ts";
import { LANGUAGES } from "../../lib/text/languages.ts";
import { type Key, readLanguage, rich, say, speak } from "../../lib/text/messages.ts";

function inLanguage<T>(tag: string, make: () => T): T {
  const before = speak(readLanguage(tag));
  try {
    return make();
  } finally {
    speak(before);
  }
}

/** A day, one that begins with a vowel, a quarter, months, and today. */
function datesToTry(): string[] {
  return [
    formatDay("2026-11-05"),
    formatDay("2026-11-08"),
    formatDay("2026-11-11"),
    formatPlanned("Q3 2026"),
    formatMonth("2026-08-01"),
    formatMonth("2026-11-01"),
    say("fresh.time_today", { time: "09:12" }),
  ];
}

Deno.test("Words before a date or a name are those that the language has there", () => {
  const planned = (tag: string) =>
    inLanguage(
      tag,
      () => datesToTry().slice(0, 6).map((date) => say("filter.planned_until", { date })),
    );
  assertEquals(planned("it"), [
    "previsti fino al 5 nov 2026",
    "previsti fino all’8 nov 2026",
    "previsti fino all’11 nov 2026",
    "previsti fino al T3 2026",
    "previsti fino a ago 2026",
    "previsti fino a nov 2026",
  ]);
  assertEquals(planned("fr").slice(2), [
    "prévues jusqu’au 11 nov. 2026",
    "prévues jusqu’au T3 2026",
    "prévues jusqu’à août 2026",
    "prévues jusqu’à nov. 2026",
  ]);
  assertEquals(planned("de").slice(2, 5), [
    "geplant bis zum 11. Nov. 2026",
    "geplant bis Q3 2026",
    "geplant bis Aug. 2026",
  ]);
  assertEquals(planned("es").slice(2, 5), [
    "previstos hasta el 11 nov 2026",
    "previstos hasta el T3 2026",
    "previstos hasta ago 2026",
  ]);
  assertEquals(planned("pt-BR").slice(2, 5), [
    "previstos até 11 de nov. de 2026",
    "previstos até o 3º tri 2026",
    "previstos até ago. de 2026",
  ]);
  assertEquals(
    inLanguage(
      "fr",
      () => ["Acme", "Orvex"].map((site) => say("embed.view", { site })),
    ).length,
    2,
  );
  assertEquals(
    inLanguage(
      "fr",
      () =>
        ["Mail", "Orvex"].map((product) =>
          say("story.dated", { count: 1, product, to: "T3 2026" })
        ),
    ),
    [
      "1 version de Mail prévue pour le T3 2026",
      "1 version d’Orvex prévue pour le T3 2026",
    ],
  );
  assertEquals(
    inLanguage(
      "it",
      () => ["Mail", "Acme"].map((site) => say("mail.are_subscribed", { site })),
    ),
    [
      "Ricevi questa email per la tua iscrizione a Mail.",
      "Ricevi questa email per la tua iscrizione ad Acme.",
    ],
  );
  // An element is joined by its text.
  assertEquals(
    inLanguage(
      "it",
      () =>
        rich("list.changed", {
          day: { props: { children: "8 nov 2026" } } as never,
        }),
    )[0],
    "modificato l’",
  );
});

Deno.test("The first of a month, and a month beside a day, are written as a language writes them", () => {
  const first = (tag: string) =>
    inLanguage(
      tag,
      () => [formatDay("2026-05-01"), formatLongDay("2026-05-01")],
    );
  assertEquals(first("fr"), ["1er mai 2026", "1er mai 2026"]);
  assertEquals(first("pt-BR"), ["1º de mai. de 2026", "1º de maio de 2026"]);
  assertEquals(first("pl"), ["1 maja 2026", "1 maja 2026"]);
  assertEquals(inLanguage("pl", () => formatMonth("2026-05-01")), "maj 2026");
  assertEquals(
    inLanguage("fr", () => formatLongDay("2026-05-11")),
    "11 mai 2026",
  );
});

Deno.test("Facts, sentences and moves are joined, and dates are short, as a language does", () => {
  assertEquals(
    inLanguage(
      "ja",
      () => [
        joinSentences(["一。", "二。"]),
        [formatNarrow("Q4 2026")].flat(3).join(""),
      ],
    ),
    ["一。二。", "2026年Q4"],
  );
  assertEquals(
    inLanguage(
      "en",
      () => [
        joinSentences(["A.", "B."]),
        [formatNarrow("Q4 2026")].flat(3).join(""),
      ],
    ),
    ["A. B.", "Q4 2026"],
  );
  assertEquals(
    inLanguage("en", () => joinMoves(["Q3 2026", "Q4 2026", "Q1 2027"])),
    "Q3 2026 → Q4 2026 → Q1 2027",
  );
  // The arrow points from the first date, which is on the right.
  const moves = inLanguage(
    "ar",
    () => joinMoves(["Q3 2026", "Q4 2026"].map(formatPlanned)),
  );
  assertEquals([
    moves.includes("→"),
    /الثالث 2026.*← .*الرابع 2026/s.test(moves),
  ], [false, true]);
  assertEquals(
    inLanguage("ar", () => joinFacts(["Mail", "", "GA"])),
    "\u2068Mail\u2069 · \u2068GA\u2069",
  );
  const named = ["Zebra", "Écran", "apple"].map((name) => ({
    product_name: name,
    feature_name: "",
  }));
  assertEquals(
    inLanguage(
      "fr",
      () => sortAlike(named, () => "").map(({ product_name }) => product_name),
    ),
    ["apple", "Écran", "Zebra"],
  );
});

/** What no editor of a language would let stand before a date or a name. */
const NEVER: Readonly<Record<string, RegExp>> = {
  de:
    /(?<!\p{L})(?:(?:für|von|seit|auf|zwischen) \d{1,2}\.|(?:dem|den|vom|zum|am) (?:Q\d|\p{L}{3}\. |heute))/u,
  es:
    /(?<!\p{L})(?:(?:para|hasta|desde|de|a) (?:\d{1,2} nov|T\d)|(?:el|del|al) (?:nov|ago|hoy)|y I|o O)/u,
  fr:
    /(?<!\p{L})(?:(?:de|que) (?:O|août|aujour)|(?:pour|à|de|jusqu’à|depuis) (?:\d{1,2} nov|T\d)|(?:le|du|au) (?:nov|août|aujour)|à le|de le)/u,
  it:
    /(?<!\p{L})(?:(?:il|lo|al|dal|del|nel) (?:8|11|ago|nov|oggi)|(?:da|a|di|in|per) (?:\d{1,2} nov|T\d))/u,
  "pt-BR":
    /(?<!\p{L})(?:(?:de|em|para|até|desde|a) 3º|(?:do|no|ao|o) (?:\d{1,2} de|nov|ago|hoje))/u,
};

/** Parameters and elements of a message; those of plurals are numbers. */
function valuesFor(
  elements: readonly MessageFormatElement[],
  date: string,
  name: string,
) {
  const values: Record<string, unknown> = {};
  const visit = (element: MessageFormatElement) => {
    if (element.type === TYPE.tag) {
      values[element.value] = (inner: unknown[]) => inner.join("");
      element.children.forEach(visit);
    } else if (element.type === TYPE.argument) {
      values[element.value] ??= KINDS.dates.has(element.value)
        ? date
        : KINDS.names.has(element.value)
        ? name
        : "–";
    } else if (element.type === TYPE.plural || element.type === TYPE.select) {
      values[element.value] = element.type === TYPE.plural ? 2 : "other";
      for (const { value } of Object.values(element.options)) {
        value.forEach(visit);
      }
    }
  };
  elements.forEach(visit);
  return values;
}

/** Messages whose parameter is a number, a status or a list, and no date, of this name. */
const OTHER_VALUES =
  /^api\.|^change\.(?:field|short)|^story\.(?:started|taken_back)|^title\.|^insights\.(?:shipped_in|by_quarter|lead|shipped_by_product)$|^remind\.(?:named_)?quarter$|^change\.date_within$|^date\./;

Deno.test("No word before a date or a name is one that the language has not there", () => {
  const faults = LANGUAGES.flatMap((tag) =>
    inLanguage(
      tag,
      () =>
        Object.keys(english).filter((key) => !OTHER_VALUES.test(key)).flatMap(
          (key) => {
            const elements = parse(english[key as keyof typeof english]);
            return datesToTry().flatMap((date) =>
              ["Iris", "Orvex"].flatMap((name) => {
                const said = rich(
                  key as Key,
                  valuesFor(elements, date, name) as never,
                ).join("");
                return NEVER[tag]?.test(said) ? [`${tag}: ${key}: ${said}`] : [];
              })
            );
          },
        ),
    )
  );
  assertEquals(faults, []);
});
