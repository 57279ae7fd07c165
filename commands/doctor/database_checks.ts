import { readMigrations, requireMigrated } from "../../lib/database/migrate.ts";
import { readExtensions, readServerVersion } from "../../lib/database/server_facts_sql.ts";
import { holdsEmbedded } from "../../lib/database/embedded/embedded.ts";
import { type Check, mend, off, ok } from "./check.ts";

const NO_DATABASE = off("cannot be checked without the database");
/** The first version of pgvector that search by meaning works with. */
const PGVECTOR = { major: 0, minor: 8 };

const database: Check = {
  name: "database",
  async run({ config: { databaseUrl, dataDir }, database }) {
    const isNew = databaseUrl === null && !await holdsEmbedded(dataDir);
    if (isNew) return ok(`embedded, in ${dataDir}: the first start makes it`);
    const opened = (await database)!;
    const version = await readServerVersion(opened);
    if (databaseUrl === null) return ok(`embedded PostgreSQL ${version}, in ${dataDir}`);
    const { host, pathname } = new URL(databaseUrl);
    return ok(`PostgreSQL ${version}, ${host}${pathname}`);
  },
};

const extensions: Check = {
  name: "extensions",
  async run({ config, database }) {
    const opened = await database.catch(() => null);
    if (opened === null) return NO_DATABASE;
    const known = new Map((await readExtensions(opened)).map((row) => [row.name, row]));
    const lacks = (name: string) => known.get(name)?.available == null;
    if (lacks("pg_trgm")) {
      return mend("pg_trgm is missing. Install PostgreSQL's contrib extensions on the server");
    }
    const vector = known.get("vector");
    if (config.embedding !== null && (lacks("vector") || isOld(vector!.installed))) {
      return mend(
        "Search by meaning needs pgvector 0.8 or newer. Install it on the server (Debian: " +
          "postgresql-17-pgvector), and run `alter extension vector update` where it is older",
      );
    }
    const installed = [...known.values()].filter(({ installed }) => installed !== null);
    return ok(
      installed.map(({ name, installed }) => `${name} ${installed}`).join(", ") ||
        "pg_trgm can be installed, which the first start does",
    );
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
