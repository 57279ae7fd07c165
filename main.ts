import { ConfigError, readConfig } from "./lib/config/config.ts";
import { describeNearMisses, loadEnvironment, readEnvironment } from "./lib/config/environment.ts";
import { ExpectedError } from "./lib/expected_error.ts";
import { type Command, UsageError } from "./commands/command.ts";
import { scheduleDueWork } from "./commands/due_work_cron.ts";
import { formatCommands, formatHelp, type Help, wantsHelp, wantsVersion } from "./commands/help.ts";
import { readLanguage, speak } from "./lib/text/messages.ts";
import { readCommit, VERSION } from "./lib/version.ts";

/** One command per task of deno.json, each loaded on demand. */
const COMMANDS: Readonly<Record<string, () => Promise<{ run: Command; help: Help }>>> = {
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

/** Commands that name variables which look like a misspelt setting. */
const NAMES_MISSPELT = ["serve", "doctor"];

/** EX_CONFIG of sysexits.h: a supervisor need not try again; deploy/roadcast.service names it. */
const WRONG_SETTING = 78;

// Not awaited: a host that loads this module must see it end.
if (import.meta.main) main(Deno.args).then((code) => Deno.exitCode = code);

async function main(words: string[]): Promise<number> {
  if (wantsVersion(words)) {
    const commit = readCommit();
    console.log(`Roadcast ${VERSION}${commit ? ` (${commit})` : ""}`);
    return 0;
  }
  if (words[0] === "--help" || words[0] === "-h") {
    const loaded = Object.entries(COMMANDS).map(async (
      [name, load],
    ) => [name, (await load()).help]);
    console.log(formatCommands(Object.fromEntries(await Promise.all(loaded))));
    return 0;
  }
  // Without a command it serves: some hosts can only name a file to run.
  const isNamed = words[0] !== undefined && !words[0].startsWith("-");
  const [name, ...args] = isNamed ? words as [string] : ["serve", ...words];
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!load) {
    console.error(`Unknown command "${name}". Commands: ${Object.keys(COMMANDS).join(", ")}`);
    return 2;
  }
  const ended = new AbortController();
  if (name === "serve" && !wantsHelp(args)) scheduleDueWork(ended.signal);
  try {
    const { run, help } = await load();
    if (wantsHelp(args)) {
      console.log(formatHelp(help));
      return 0;
    }
    const ofFile = loadEnvironment();
    if (NAMES_MISSPELT.includes(name)) warnOfMisspelt();
    const config = readConfig(readEnvironment(), ofFile);
    speak(readLanguage(config.LANGUAGE));
    await run(args, config);
    return 0;
  } catch (error) {
    console.error(isExpected(error) ? error.message : describeDamage(error) ?? error);
    return error instanceof UsageError ? 2 : error instanceof ConfigError ? WRONG_SETTING : 1;
  } finally {
    ended.abort();
  }
}

function warnOfMisspelt(): void {
  if (Deno.permissions.querySync({ name: "env" }).state !== "granted") return;
  for (const line of describeNearMisses(Object.keys(Deno.env.toObject()))) console.error(line);
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
