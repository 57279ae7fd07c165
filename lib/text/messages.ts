import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type { MessageFormatElement } from "@formatjs/icu-messageformat-parser";
import english from "../../messages/en.json" with { type: "json" };
import { FIRST_DAYS_OF } from "./dates.ts";
import { join, type Joins } from "./joins.ts";
import { monthsIn } from "./languages.ts";
import { KNOWN } from "./message_keys.ts";
import { makeSpoken, type Message, readWith, speakIn, type Spoken } from "./say.ts";

export { language, rich, say, speak, type Spoken } from "./say.ts";
export type { Key } from "./message_keys.ts";

const FOLDER = new URL("../../messages/", import.meta.url);

let own: Spoken | undefined;

/** What a function makes in English, as programs and operators read it whatever readers speak. */
export function inEnglish<T>(make: () => T): T {
  return speakIn(readLanguage("en"), make);
}

/** Messages as their file has them, in ICU's MessageFormat. */
export type Catalog = Readonly<Record<string, string>>;

readWith(() => readLanguage("en"));

/** Reads a language from its file. */
export function readLanguage(tag: string): Spoken {
  if (tag === "en") return own ??= makeLanguage(tag, english);
  return makeLanguage(tag, readFile(`${tag}.json`), readJoins(tag));
}

function readFile(name: string) {
  return JSON.parse(Deno.readTextFileSync(new URL(name, FOLDER)));
}

/** In a language without a file no word changes. */
function readJoins(tag: string): Joins {
  try {
    return readFile(`joins/${tag}.json`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

/** A language with these messages; those that it lacks are said in English. */
export function makeLanguage(tag: string, catalog: Catalog, joins: Joins = {}): Spoken {
  const messages = Object.fromEntries(
    Object.entries({ ...english, ...catalog }).map(([key, text]) => [key, compile(text, joins)]),
  );
  const direction = new Intl.Locale(tag).getTextInfo().direction ?? "ltr";
  return makeSpoken(tag, direction, { ...datesOf(tag), ...messages });
}

/**
 * Makes a message ready to be filled.
 *
 * ```ts
 * const ready = JSON.stringify(compile("{count, plural, one {# page} other {# pages}} of <b>{name}</b>"));
 * const plural = '{"one":[["count"]," page"],"other":[["count"]," pages"]}';
 * if (ready !== `[["count",${plural}]," of ",["b",0,[["name"]]]]`) throw new Error(ready);
 * ```
 * @throws {SyntaxError} if it is not right
 */
export function compile(text: string, joins: Joins = {}): Message {
  return toMessage(parse(text, { captureLocation: false }), "", joins);
}

function toMessage(
  elements: readonly MessageFormatElement[],
  counted: string,
  joins: Joins,
): Message {
  const pieces = elements.map((element): Exclude<Message, string>[number] => {
    switch (element.type) {
      case TYPE.literal:
        return element.value;
      case TYPE.argument:
        return [element.value];
      case TYPE.pound:
        return [counted];
      case TYPE.tag:
        return [element.value, 0, toMessage(element.children, counted, joins)];
      case TYPE.plural:
      case TYPE.select: {
        const isPlural = element.type === TYPE.plural;
        if (isPlural && (element.offset !== 0 || element.pluralType !== "cardinal")) {
          throw new SyntaxError("A plural has no offset, and is none of ordinal numbers");
        }
        return [
          element.value,
          Object.fromEntries(
            Object.entries(element.options).map(([choice, { value }]) => [
              choice,
              toMessage(value, isPlural ? element.value : counted, joins),
            ]),
          ),
        ];
      }
      default:
        throw new SyntaxError("A message has no formats of numbers and dates: Intl knows them");
    }
  });
  if (pieces.length === 0) return "";
  return pieces.length === 1 && typeof pieces[0] === "string" ? pieces[0] : join(pieces, joins);
}

/** Short months that are declined beside a day, which CLDR does not say. */
const DECLINED: Readonly<Record<string, string>> = { pl: "maj {maja}" };

/** How days are written: messages too, so that a browser writes them as the server does. */
function datesOf(tag: string): Record<(typeof KNOWN)[number], Message> {
  // Our English has the day first, and three letters of each month.
  const order = tag === "en" ? "en-GB" : tag;
  const first = FIRST_DAYS_OF[tag];
  const forms: Record<string, string | undefined> = {
    day: first && `1 {${first}}`,
    month: DECLINED[tag],
  };
  const pattern = (options: Intl.DateTimeFormatOptions) =>
    compile(
      monthsIn(order, options)[8]!.map(({ type, value }) =>
        type === "literal"
          ? value
          : options.day && forms[type]
          ? `{${type}, select, ${forms[type]} other {{${type}}}}`
          : `{${type}}`
      ).join(""),
    );
  const day = { day: "numeric", month: "short", year: "numeric" } as const;
  const months = monthsIn(tag, day)
    .map((parts) => parts.find(({ type }) => type === "month")!.value);
  return {
    "date.day": pattern(day),
    "date.short_day": pattern({ day: "numeric", month: "short" }),
    "date.month": pattern({ month: "short", year: "numeric" }),
    "date.months": months.join("|"),
  };
}
