import { statfs } from "node:fs/promises";
import type { Config } from "../lib/config/config.ts";
import type { Database } from "../lib/database/database.ts";
import { holdsEmbedded } from "../lib/database/embedded/embedded.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { type Check, fail, type NamedFinding, off, ok, runChecks } from "../lib/doctor/check.ts";
import { CLOCK_CHECKS, DATABASE_CHECKS, SETTINGS_CHECKS } from "../lib/doctor/server_checks.ts";
import { SERVICE_CHECKS } from "../lib/doctor/service_checks.ts";
import { ExpectedError } from "../lib/expected_error.ts";
import { countOf } from "../lib/text/phrases.ts";
import type { Command } from "./command.ts";
import { parseGiven } from "./given.ts";
import { formatAddress, listenError } from "./listen.ts";
import { describeOthers, findOtherSettings } from "./server_settings.ts";

/** An import and a migration need as much again as is stored. */
const MIN_FREE_MB = 500;
const ANSWER_MS = 5_000;

const port: Check = {
  name: "port",
  async run({ config }) {
    const address = formatAddress(config);
    if (await isServing(`http://${address}${config.basePath}/health`)) {
      return ok(`a Roadcast server responds on ${address}`);
    }
    try {
      Deno.listen({ hostname: config.HOST, port: config.PORT }).close();
    } catch (error) {
      throw listenError(config, error);
    }
    return ok(`${address} is free`);
  },
};

async function isServing(health: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return "version" in await (await fetch(health, { signal })).json();
  } catch {
    return false;
  }
}

const disk: Check = {
  name: "disk",
  async run({ config: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir } }) {
    if (databaseUrl !== null) return off("not needed: the data is in PostgreSQL");
    if (!await holdsEmbedded(dataDir).catch(() => false)) {
      return off(`${dataDir} has no database yet`);
    }
    const { bavail, bsize } = await statfs(dataDir);
    const free = Math.floor(bavail * bsize / 1024 / 1024);
    const text = `${free} MB are free for ${dataDir}`;
    return free < MIN_FREE_MB
      ? fail(`${text}. Make room for ${MIN_FREE_MB} MB, or move DATA_DIR`)
      : ok(text);
  },
};

const server: Check = {
  name: "server",
  async run({ config }) {
    const others = await findOtherSettings(config);
    if (others === null) return off("no server of this machine has the database open");
    if (others.length === 0) return ok("the running server has the same settings");
    return fail(describeOthers(others));
  },
};

const CHECKS = [
  ...SETTINGS_CHECKS,
  server,
  port,
  ...DATABASE_CHECKS,
  ...SERVICE_CHECKS,
  disk,
  ...CLOCK_CHECKS,
];
/** A connection that hangs is not waited for. */
const CLOSE_MS = 1_000;

/** At least one check has failed. */
class ProblemsFound extends ExpectedError {}

/** `deno task doctor`: checks everything that a server needs, and changes nothing. */
export const run: Command = async (args, config) => {
  const { values } = parseGiven("doctor", args);
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

/** Waits a little for a database that hangs. */
async function close(database: Promise<Database | null>): Promise<void> {
  const given = Promise.withResolvers<void>();
  const timer = setTimeout(given.resolve, CLOSE_MS);
  await Promise.race([database.then((opened) => opened?.close(), () => {}), given.promise]);
  clearTimeout(timer);
}

function format({ name, state, text }: NamedFinding): string {
  return `${state.padEnd(4)}  ${name.padEnd(WIDTH)}  ${text}`;
}

const WIDTH = Math.max(...CHECKS.map(({ name }) => name.length));
