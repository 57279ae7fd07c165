import type { Config } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { holdsEmbedded } from "../lib/database/embedded/embedded.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { ExpectedError } from "../lib/expected_error.ts";
import type { Help } from "./help.ts";
import { countOf } from "../lib/text/phrases.ts";
import { type Command, parseWords } from "./command.ts";
import { type NamedFinding, runChecks } from "../lib/doctor/check.ts";
import { DATABASE_CHECKS } from "../lib/doctor/database_checks.ts";
import { CLOCK_CHECKS, SETTINGS_CHECKS } from "../lib/doctor/server_checks.ts";
import { SERVICE_CHECKS } from "../lib/doctor/service_checks.ts";
import { DISK_CHECKS, PORT_CHECKS } from "./doctor/machine_checks.ts";

const USAGE = "deno task doctor [--json]";
const CHECKS = [
  ...SETTINGS_CHECKS,
  ...PORT_CHECKS,
  ...DATABASE_CHECKS,
  ...SERVICE_CHECKS,
  ...DISK_CHECKS,
  ...CLOCK_CHECKS,
];
/** A connection that hangs is not waited for. */
const CLOSE_MS = 1_000;

/** The text of `--help`. */
export const help: Help = {
  summary: "Checks settings, database, services, disk and clock, and suggests fixes",
  usage: USAGE,
  words: { "--json": "prints the results as JSON" },
};

/** At least one check has failed. */
class ProblemsFound extends ExpectedError {}

/** `deno task doctor`: checks everything that a server needs, and changes nothing. */
export const run: Command = async (args, config) => {
  const { values } = parseWords(args, { json: { type: "boolean" } }, { usage: USAGE });
  const database = open(config);
  database.catch(() => {}); // the check of the database reports it
  const findings = await runChecks(CHECKS, { config, database });
  if (values.json) console.log(JSON.stringify(findings, null, 2));
  else for (const finding of findings) console.log(format(finding));
  await close(database);
  const failed = findings.filter(({ state }) => state === "fail");
  if (failed.length === 0) return;
  const names = failed.map(({ name }) => name).join(", ");
  throw new ProblemsFound(`${countOf(failed.length, "problem")} found: ${names}`);
};

/** Null: there is no embedded database yet, and looking for it must not make one. */
async function open(config: Config): Promise<Database | null> {
  if (config.DATABASE_URL === null && !await holdsEmbedded(config.DATA_DIR)) return null;
  return await openDatabase(config);
}

/** Waits a little for a database that hangs, and lets nothing else that hangs keep the process. */
async function close(database: Promise<Database | null>): Promise<void> {
  const given = Promise.withResolvers<void>();
  const timer = setTimeout(given.resolve, CLOSE_MS);
  await Promise.race([database.then((opened) => opened?.close(), () => {}), given.promise]);
  clearTimeout(timer);
  Deno.unrefTimer(setTimeout(() => Deno.exit(), CLOSE_MS));
}

function format({ name, state, text }: NamedFinding): string {
  return `${state.padEnd(4)}  ${name.padEnd(WIDTH)}  ${text}`;
}

const WIDTH = Math.max(...CHECKS.map(({ name }) => name.length));
