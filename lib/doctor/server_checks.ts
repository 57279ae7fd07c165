import { dirname, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { holdsEmbedded } from "../database/embedded/embedded.ts";
import { folderError } from "../database/embedded/embedded_failures.ts";
import { readMigrations, requireMigrated } from "../database/migrate.ts";
import {
  readExtensions,
  readServerTime,
  readServerVersion,
  tryExtension,
} from "../database/server_facts_sql.ts";
import { firstLineOf } from "../expected_error.ts";
import { Assets } from "../http/assets/assets.ts";
import { isLoopback } from "../http/outgoing/checked_addresses.ts";
import { isAddress } from "../import/fetching/location.ts";
import { ConfiguredSources } from "../import/sources/configured_sources.ts";
import { VERSION } from "../version.ts";
import { type Check, type CheckContext, fail, off, ok } from "./check.ts";

/** Dates in mails and the order of changes suffer from more. */
const MAX_SKEW_SECONDS = 30;
const ANSWER_MS = 5_000;

const settings: Check = {
  name: "settings",
  // deno-lint-ignore require-await
  async run({ config }) {
    const { BASE_URL, HOST, smtp, ADMIN_USER_HEADER } = config;
    const { hostname, protocol } = new URL(BASE_URL);
    if (smtp !== null && isLoopback(hostname)) {
      return fail(`Links in emails point to ${BASE_URL}. Set BASE_URL to the public address`);
    }
    const by = config.BACKGROUND_JOBS ? "" : ", background jobs run by schedulers only";
    const proxies = protocol === "https:" && config.TRUSTED_PROXIES === 0
      ? "; behind a proxy set TRUSTED_PROXIES, otherwise all clients count as one"
      : "";
    const operators = ADMIN_USER_HEADER !== null && !isOfThisMachine(HOST)
      ? `; HOST=${HOST} lets clients other than the proxy connect: ${ADMIN_USER_HEADER} counts only from this ` +
        "machine and ADMIN_PROXY"
      : "";
    return ok(
      `Roadcast ${VERSION}, "${config.SITE_NAME}" at ${BASE_URL}${by}${proxies}${operators}`,
    );
  },
};

/** Whether only this machine can connect to a host that is listened on. */
function isOfThisMachine(host: string): boolean {
  return host === "localhost" || /^127\.|^\[?::1\]?$/.test(host);
}

const pages: Check = {
  name: "pages",
  async run({ config }) {
    const { hasScripts } = await Assets.load(config);
    return hasScripts
      ? ok("their scripts are built")
      : fail("their scripts are not built. Run `deno task build`");
  },
};

const clock: Check = {
  name: "clock",
  async run(context) {
    const [ofDatabase, ofOther] = await Promise.all([
      readDatabaseClock(context),
      readRemoteClock(context),
    ]);
    const known = [ofDatabase, ofOther].filter((skew) => skew !== null);
    if (known.length === 0) return off("nothing to compare it with");
    const wrong = known.find(({ seconds }) => Math.abs(seconds) > MAX_SKEW_SECONDS);
    if (wrong) {
      const by = `${Math.abs(wrong.seconds)} s ${wrong.seconds > 0 ? "ahead of" : "behind"}`;
      return fail(`This clock is ${by} that of ${wrong.of}. Set both with NTP`);
    }
    return ok(`agrees with ${known.map(({ of }) => of).join(" and ")}`);
  },
};

interface Skew {
  /** Positive: this clock is ahead. */
  seconds: number;
  of: string;
}

/** The embedded database has the clock of this machine. */
async function readDatabaseClock({ config, database }: CheckContext): Promise<Skew | null> {
  if (config.DATABASE_URL === null) return null;
  const opened = await database.catch(() => null);
  if (opened === null) return null;
  return compare(await readServerTime(opened), "the database");
}

/** The first address at hand: any HTTP answer has its time (RFC 9110, section 6.6.1). */
async function readRemoteClock({ config }: CheckContext): Promise<Skew | null> {
  const address = await findAddress(config);
  if (address === null) return null;
  const { origin, host } = new URL(address);
  const signal = AbortSignal.timeout(ANSWER_MS);
  const headers = { "user-agent": config.SOURCE_USER_AGENT };
  const answer = await fetch(origin, { method: "HEAD", redirect: "manual", headers, signal })
    .catch(() => null);
  await answer?.body?.cancel();
  const date = Date.parse(answer?.headers.get("date") ?? "");
  return Number.isNaN(date) ? null : compare(date, host);
}

async function findAddress(config: Config): Promise<string | null> {
  const sources = await ConfiguredSources.read(config).catch(() => null);
  const source = sources?.current.find(({ from }) => isAddress(from));
  return source?.from ?? config.embedding?.baseUrl ?? null;
}

function compare(theirs: number, of: string): Skew {
  return { seconds: Math.round((Date.now() - theirs) / 1000), of };
}

/** The checks of the settings and the scripts, which are shown first, and of the clock. */
export const SETTINGS_CHECKS: readonly Check[] = [settings, pages];
export const CLOCK_CHECKS: readonly Check[] = [clock];

const NO_DATABASE = off("cannot be checked without the database");
/** The first version of pgvector that search by meaning works with. */
const PGVECTOR = { major: 0, minor: 8 };

const database: Check = {
  name: "database",
  async run({ config: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir }, database }) {
    const isNew = databaseUrl === null && !await holdsEmbedded(dataDir);
    if (isNew) {
      await tryFolder(dataDir);
      return ok(`embedded, in ${dataDir}: created at the first start`);
    }
    const opened = (await database)!;
    const version = await readServerVersion(opened);
    if (databaseUrl === null) return ok(`embedded PostgreSQL ${version}, in ${dataDir}`);
    const { host, pathname } = new URL(databaseUrl);
    return ok(`PostgreSQL ${version}, ${host}${pathname}`);
  },
};

/** Writes into the folder of a new database, or into the nearest one above it, and leaves nothing. */
async function tryFolder(folder: string): Promise<void> {
  try {
    const made = await Deno.makeTempDir({ dir: await findExisting(resolve(folder)) });
    await Deno.remove(made);
  } catch (error) {
    throw folderError(folder, error);
  }
}

async function findExisting(folder: string): Promise<string> {
  try {
    // A link that leads nowhere is there, and no folder can be made in its place.
    await Deno.lstat(folder);
    return folder;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return await findExisting(dirname(folder));
    throw error;
  }
}

const extensions: Check = {
  name: "extensions",
  async run({ config, database }) {
    const opened = await database.catch(() => null);
    if (opened === null) return NO_DATABASE;
    const known = new Map((await readExtensions(opened)).map((row) => [row.name, row]));
    const lacks = (name: string) => known.get(name)?.available == null;
    if (lacks("pg_trgm")) {
      return fail("pg_trgm is missing. Install PostgreSQL's contrib extensions on the server");
    }
    const vector = known.get("vector");
    if (config.embedding !== null && (lacks("vector") || isOld(vector!.installed))) {
      return fail(
        "Search by meaning needs pgvector 0.8 or newer. Install it on the server (Debian: " +
          "postgresql-17-pgvector), and run `alter extension vector update` where it is older",
      );
    }
    const needed = config.embedding === null ? ["pg_trgm"] : ["pg_trgm", "vector"];
    const absent = needed.filter((name) => known.get(name)!.installed === null);
    for (const name of absent) {
      const reason = await tryExtension(opened, name).then(() => null, firstLineOf);
      if (reason !== null) {
        return fail(`${reason}. Have an administrator run "create extension ${name}" there`);
      }
    }
    const texts = [...known.values()].filter(({ installed }) => installed !== null)
      .map(({ name, installed }) => `${name} ${installed}`);
    if (absent.length > 0) {
      texts.push(`${absent.join(" and ")} will be installed at the next start`);
    }
    return ok(texts.join(", "));
  },
};

function isOld(version: string | null): boolean {
  if (version === null) return false;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === PGVECTOR.major && minor < PGVECTOR.minor;
}

const migrations: Check = {
  name: "migrations",
  async run({ database }) {
    const opened = await database.catch(() => null);
    if (opened === null) return NO_DATABASE;
    const known = await readMigrations();
    await requireMigrated(opened, known);
    return ok(`up to date, the last is ${known.at(-1)!.name}`);
  },
};

/** The checks of the database, in the order in which they are shown. */
export const DATABASE_CHECKS: readonly Check[] = [database, extensions, migrations];
