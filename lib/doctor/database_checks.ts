import { dirname, resolve } from "node:path";
import { readMigrations, requireMigrated } from "../database/migrate.ts";
import { readExtensions, readServerVersion, tryExtension } from "../database/server_facts_sql.ts";
import { holdsEmbedded } from "../database/embedded/embedded.ts";
import { folderError } from "../database/embedded/embedded_failures.ts";
import { firstLineOf } from "../expected_error.ts";
import { type Check, fail, off, ok } from "./check.ts";

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
        return fail(`${reason}. Let an administrator run "create extension ${name}" there`);
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
