import { parseArgs, type ParseArgsConfig } from "node:util";
import { ExpectedError } from "../lib/expected_error.ts";
import type { Help } from "./help.ts";
import { HELPS } from "./helps.ts";

/** A command cannot run as things are; the message says what has to change. */
export class CannotRun extends ExpectedError {
  override readonly exitCode = 2;
}

/** The arguments of a command are wrong: a sentence, after which `main.ts` shows how to call it. */
export class UsageError extends CannotRun {
  constructor(message: string) {
    super(message.endsWith("?") ? message : `${message}.`);
  }
}

type Words<Name extends keyof typeof HELPS> = (typeof HELPS)[Name] extends { words: infer All }
  ? All
  : Record<never, string>;

type OptionName<Word> = Word extends `--${infer Name} ${string}` ? Name
  : Word extends `--${infer Name}` ? Name
  : never;

/** The options of a command that were given, as its words in `HELPS` describe them. */
export type Given<Name extends keyof typeof HELPS> = {
  [Word in keyof Words<Name> as OptionName<Word>]?: `--${OptionName<Word>}` extends
    keyof Words<Name> ? boolean
    : Words<Name>[Word] extends { repeatable: string } ? string[]
    : string;
};

/**
 * Reads the arguments of a command: its options, and the other words.
 *
 * @throws {UsageError} for what the command does not take
 */
export function parseGiven<Name extends keyof typeof HELPS>(
  command: Name,
  args: string[],
): { values: Given<Name>; positionals: string[] } {
  const { words = {}, takes: [least, most] = [0, 0] }: Help = HELPS[command];
  try {
    const options = optionsIn(words);
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length < least) throw new Error("A value is missing");
    if (positionals.length > most) throw new Error(`Unexpected "${positionals[most]}"`);
    return { values: values as Given<Name>, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.split(". ")[0]!);
  }
}

function optionsIn(words: NonNullable<Help["words"]>): ParseArgsConfig["options"] {
  const options = Object.entries(words).filter(([word]) => word.startsWith("--"));
  return Object.fromEntries(options.map(([word, meaning]) => {
    const [option] = word.split(" ") as [string];
    const type = option in words ? "boolean" : "string";
    return [option.slice("--".length), { type, multiple: typeof meaning !== "string" }];
  }));
}

/**
 * Reads the value of an option that takes a whole number from 1.
 *
 * @throws {UsageError} that names the option
 */
export function parseCount(text: string, option: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`${option} takes a whole number from 1, not "${text}"`);
}

/**
 * Reads the value of an option that takes one of some words.
 *
 * @throws {UsageError} that names the option, and its words
 */
export function parseChoice<Choice extends string>(
  text: string,
  option: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${option} takes ${choices.join(", ")}, not "${text}"`);
}
