import { ExpectedError } from "./lib/expected_error.ts";
import type { Command } from "./commands/command.ts";
import { scheduleDueWork } from "./commands/due_work_cron.ts";
import { UsageError } from "./commands/given.ts";
import { formatCommands, formatHelp, wantsHelp, wantsVersion } from "./commands/help.ts";
import { HELPS } from "./commands/helps.ts";
import { readCommit, VERSION } from "./lib/version.ts";

/** One command per task of deno.json, each loaded on demand. */
const COMMANDS: Readonly<Record<keyof typeof HELPS, () => Promise<{ run: Command }>>> = {
  serve: () => import("./commands/serve.ts"),
  import: () => import("./commands/import.ts"),
  imports: () => import("./commands/imports.ts"),
  announcements: () => import("./commands/announcements.ts"),
  sources: () => import("./commands/sources.ts"),
  backup: () => import("./commands/backup.ts"),
  restore: () => import("./commands/restore.ts"),
  migrate: () => import("./commands/migrate.ts"),
  outbox: () => import("./commands/outbox.ts"),
  subscriptions: () => import("./commands/subscriptions.ts"),
  webhooks: () => import("./commands/webhooks.ts"),
  tokens: () => import("./commands/tokens.ts"),
  digest: () => import("./commands/digest.ts"),
  embed: () => import("./commands/embed.ts"),
  search: () => import("./commands/search.ts"),
  doctor: () => import("./commands/doctor.ts"),
};

/** How long the doctor waits for connections that do not close. */
const HANGING_MS = 1_000;

/** Commands that name variables which look like a misspelt setting. */
const NAMES_MISSPELT = ["serve", "doctor"];

// Not awaited: a host that loads this module must see it end.
if (import.meta.main) main(Deno.args).then(end);

/** Runs a command, by default with the settings of this process and its `.env`; gives the exit code. */
export async function main(
  words: string[],
  settings?: Readonly<Record<string, string>>,
): Promise<number> {
  if (wantsVersion(words)) {
    const commit = readCommit();
    console.log(`Roadcast ${VERSION}${commit ? ` (${commit})` : ""}`);
    return 0;
  }
  if (words[0] === "--help" || words[0] === "-h") {
    console.log(formatCommands(HELPS));
    return 0;
  }
  // Without a command it serves: some hosts can only name a file to run.
  const isNamed = words[0] !== undefined && !words[0].startsWith("-");
  const [name, ...args] = isNamed ? words as [string] : ["serve", ...words];
  if (!isCommand(name)) {
    console.error(`Unknown command "${name}". Commands: ${Object.keys(COMMANDS).join(", ")}`);
    return 2;
  }
  if (wantsHelp(args)) {
    console.log(formatHelp(HELPS[name]));
    return 0;
  }
  const ended = new AbortController();
  if (name === "serve") scheduleDueWork(ended.signal);
  try {
    const { run } = await COMMANDS[name]();
    const { readConfig } = await import("./lib/config/config.ts");
    const { describeNearMisses, loadEnvironment, readEnvironment } = await import(
      "./lib/config/environment.ts"
    );
    const ofFile = settings ? [] : loadEnvironment();
    if (NAMES_MISSPELT.includes(name) && mayReadAll()) {
      for (const line of describeNearMisses(Object.keys(settings ?? Deno.env.toObject()))) {
        console.error(line);
      }
    }
    const config = readConfig(settings ?? readEnvironment(), ofFile);
    const { readLanguage, speak } = await import("./lib/text/messages.ts");
    speak(readLanguage(config.LANGUAGE));
    await run(args, config);
    return 0;
  } catch (error) {
    const usage = error instanceof UsageError ? ` Usage: ${HELPS[name].usage}` : "";
    console.error(isExpected(error) ? error.message + usage : describeDamage(error) ?? error);
    return error instanceof ExpectedError ? error.exitCode : 1;
  } finally {
    ended.abort();
  }
}

/** Ends the process with the code of its command; what the doctor found hanging does not keep it. */
function end(code: number): void {
  Deno.exitCode = code;
  if (Deno.args[0] === "doctor") Deno.unrefTimer(setTimeout(() => Deno.exit(), HANGING_MS));
}

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

/** Whether this process may see which variables there are. */
function mayReadAll(): boolean {
  return Deno.permissions.querySync({ name: "env" }).state === "granted";
}

/** Errors whose message is enough for a person; others are shown with their stack. */
function isExpected(error: unknown): error is Error {
  // SQLSTATE disk_full: "could not extend file …: No space left on device"
  return error instanceof ExpectedError || (error as { code?: unknown }).code === "53100";
}

/** What to do where files of PostgreSQL are missing or broken; null: another error. */
function describeDamage(error: unknown): string | null {
  const { message, code } = error as { message?: string; code?: unknown };
  // SQLSTATE data_corrupted: "invalid page in block …"
  const isDamage = code === "XX001" || /^could not (open|read) file "(base|global)/.test(message!);
  return isDamage ? `The database is damaged (${message}): restore the latest backup` : null;
}
