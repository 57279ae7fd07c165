const SETTINGS = "Settings are environment variables, or in a file .env: see docs/settings.md.";

/** What a command takes, and what `--help` says of it. */
export interface Help {
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly usage: string;
  /** How many arguments that are no options: at least, and at most. */
  readonly takes?: readonly [least: number, most: number];
  /**
   * The meaning of the words in the usage. Each that begins with `--` is an option; it takes a value
   * if it is never written without one.
   */
  readonly words?: Readonly<Record<string, string | { readonly repeatable: string }>>;
}

/** Whether the arguments ask for help; after `--` there are no options. */
export function wantsHelp(args: readonly string[]): boolean {
  const options = optionsOf(args);
  return options.includes("--help") || options.includes("-h");
}

/** Whether the arguments ask for the version. */
export function wantsVersion(args: readonly string[]): boolean {
  return optionsOf(args).includes("--version");
}

function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}

/** The text that `--help` shows where no command is named. */
export function formatCommands(helps: Readonly<Record<string, Help>>): string {
  const width = Math.max(...Object.keys(helps).map((name) => name.length));
  return [
    "Commands, each with its own --help; without one, it serves:",
    "",
    ...Object.entries(helps).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    SETTINGS,
  ].join("\n");
}

/** The text that `--help` shows. */
export function formatHelp({ summary, usage, words = {} }: Help): string {
  const all: NonNullable<Help["words"]> = {
    ...words,
    "--help": "shows this help",
    "--version": "shows the version",
  };
  const meanings = Object.entries(all);
  const width = Math.max(...meanings.map(([word]) => word.length));
  const lines = meanings.map(([word, meaning]) =>
    `  ${word.padEnd(width)}  ${typeof meaning === "string" ? meaning : meaning.repeatable}`
  );
  return [
    `${summary}.`,
    "",
    `Usage: ${usage}`,
    "",
    ...lines,
    "",
    SETTINGS,
  ].join("\n");
}
