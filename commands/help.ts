const SETTINGS = "Settings are environment variables, or in a file .env: see docs/settings.md.";

/** The `--help` text of a command. */
export interface Help {
  /** A sentence without its full stop. */
  readonly summary: string;
  readonly usage: string;
  /** The meaning of the words in the usage. */
  readonly words?: Readonly<Record<string, string>>;
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
  const meanings = Object.entries({
    ...words,
    "--help": "shows this help",
    "--version": "shows the version",
  });
  const width = Math.max(...meanings.map(([word]) => word.length));
  const lines = meanings.map(([word, meaning]) => `  ${word.padEnd(width)}  ${meaning}`);
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
