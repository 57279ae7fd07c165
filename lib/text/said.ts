import { inEnglish, type Key, say } from "./messages.ts";
import type { Values } from "./say.ts";

/** What an error says: a message with its values, in English for programs and in words for readers. */
export interface Said {
  readonly key: Key;
  readonly values: Values;
}

/** A message with its values. */
export function said(key: Key, values: Values = {}): Said {
  return { key, values };
}

/** A message in English, as the detail of an error has it. */
export function englishOf({ key, values }: Said): string {
  return inEnglish(() => say(key, values));
}

/** What schemas say, by its English: they take and return texts only. */
const BY_ENGLISH = new Map<string, Said>();

/**
 * The English of what a schema says, whose message `saidOf` knows again. Only for values that are
 * known when the schema is made.
 */
export function reason(key: Key, values: Values = {}): string {
  const words = said(key, values);
  const text = englishOf(words);
  BY_ENGLISH.set(text, words);
  return text;
}

/** What a schema has said; undefined: a text without a message. */
export function saidOf(text: string): Said | undefined {
  return BY_ENGLISH.get(text);
}
