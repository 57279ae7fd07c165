/**
 * The words for readers, in the language of this service: messages with parameters, plurals and
 * choices. What a message says stands in `messages/`, a file for each language.
 */
import type { ComponentChildren, VNode } from "preact";
import type { Key } from "./message_keys.ts";

/** A message made ready: a text, or its pieces. */
export type Message = string | readonly Piece[];

/** A text; a parameter; one that chooses what follows; or one that encloses what follows. */
type Piece =
  | string
  | readonly [name: string]
  | readonly [name: string, choices: Readonly<Record<string, Message>>]
  | readonly [name: string, choices: 0, inner: Message];

/** A language, with all that it says. */
export interface Spoken {
  /** BCP 47 */
  readonly tag: string;
  readonly direction: "ltr" | "rtl";
  readonly messages: Readonly<Record<string, Message>>;
  readonly numbers: Intl.NumberFormat;
  readonly plurals: Intl.PluralRules;
}

/** A number is formatted, and chooses a plural; a year is a text. */
type Value = string | number | boolean;
/** What a message takes, by the names of its parameters. */
export type Values = Readonly<Record<string, Value>>;

/** An element that encloses a part of a message. */
type Enclose = (inner: ComponentChildren[]) => ComponentChildren;
type RichValues = Readonly<Record<string, ComponentChildren | Enclose>>;

let spoken: Spoken | undefined;
/**
 * A server says how it reads its language. A script has its messages in front of it, an island beside
 * its properties (lib/http/assets/assets.ts).
 */
let read = (): Spoken => {
  const { lang, dir } = document.documentElement;
  const texts = document.querySelector("[id^=texts]");
  // Another script of the page may add its messages later.
  const shared = self as { T?: Spoken["messages"] };
  return makeSpoken(
    lang,
    dir,
    Object.assign(shared.T ??= {}, texts && JSON.parse(texts.textContent)),
  );
};

/** A language from its parts. */
export function makeSpoken(
  tag: string,
  direction: string,
  messages: Spoken["messages"],
): Spoken {
  return {
    tag,
    direction: direction as Spoken["direction"],
    messages,
    numbers: new Intl.NumberFormat(tag),
    plurals: new Intl.PluralRules(tag),
  };
}

/** Sets how the language is read that is spoken until another one is chosen. */
export function readWith(reader: () => Spoken): void {
  read = reader;
}

/** The language that is spoken. */
export function language(): Spoken {
  return spoken ??= read();
}

/** Speaks a language from now on, and returns the one before. */
export function speak(next: Spoken): Spoken {
  const before = language();
  spoken = next;
  return before;
}

/** What a function makes in a language, such as that of programs. */
export function speakIn<T>(other: Spoken, make: () => T): T {
  const before = speak(other);
  try {
    return make();
  } finally {
    speak(before);
  }
}

/** What a message says with these values, as a text. */
export function say(key: Key, values: Values = {}): string {
  return fill(language().messages[key]!, values).join("");
}

/** What a message says with these values, which may be elements, or enclose parts of it. */
export function rich(key: Key, values: RichValues): ComponentChildren[] {
  return fill(language().messages[key]!, values);
}

/**
 * A text inside of one that is read from the right (Unicode Annex 9): what a source or a reader wrote
 * has its own direction, what `say` made of parts, such as a day, that of the language. A first-strong
 * isolate passes over isolates within it, and would turn such a text around.
 */
export function isolate(text: string): string {
  if (language().direction !== "rtl" || !/\p{L}|\d\D\d/u.test(text)) return text;
  return (text.includes("\u2069") ? "\u2067" : "\u2068") + text + "\u2069";
}

function fill<V extends RichValues>(
  message: Message,
  values: V,
  into: ComponentChildren[] = [],
): ComponentChildren[] {
  if (typeof message === "string") into.push(message);
  else for (const piece of message) fillPiece(piece, values, into);
  return into;
}

function fillPiece(piece: Piece, values: RichValues, into: ComponentChildren[]): void {
  if (typeof piece === "string") return void into.push(piece);
  const { numbers, plurals } = language();
  const [name, choices, inner] = piece;
  const value = values[name];
  const isNumber = typeof value === "number";
  if (inner) return append((value as Enclose)(fill(inner, values)), into);
  if (choices) {
    // A regular expression chooses by a text, or that of an element (joins.ts).
    const choice = isNumber
      ? plurals.select(value)
      : Object.keys(choices).find((one) =>
        one[0] === "^" &&
        RegExp(one, "iu").test((value as VNode<{ children: string }>)?.props?.children ?? value)
      ) ?? value as string;
    return void fill(choices[`=${value}`] ?? choices[choice] ?? choices.other!, values, into);
  }
  if (isNumber) into.push(numbers.format(value));
  else append(typeof value === "string" ? isolate(value) : value as ComponentChildren, into);
}

function append(made: ComponentChildren, into: ComponentChildren[]): void {
  if (Array.isArray(made)) into.push(...made);
  else into.push(made);
}
