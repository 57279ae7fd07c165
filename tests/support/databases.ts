import { createHash } from "node:crypto";
import { join } from "node:path";
import postgres from "postgres";
import type { Database } from "../../lib/database/database.ts";
import { packCluster } from "../../lib/database/embedded/cluster_image.ts";
import { holdsEmbedded, openEmbedded, openInMemory } from "../../lib/database/embedded/embedded.ts";
import { migrate, readMigrations } from "../../lib/database/migrate.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { loadSample } from "../../lib/import/sample/sample.ts";
import { isoDate } from "../../lib/text/dates.ts";

/** A PostgreSQL with a superuser, to create databases; unset: only embedded is tested. */
export const TEST_DATABASE_URL = Deno.env.get("TEST_DATABASE_URL") || null;

interface TestDatabase {
  name: string;
  open(): Promise<{ database: Database; close(): Promise<void> }>;
}

const KINDS: readonly TestDatabase[] = [
  { name: "embedded", open: openMigrated },
  ...TEST_DATABASE_URL ? [{ name: "PostgreSQL", open: openScratchDatabase }] : [],
];

/**
 * Runs a test on the embedded database, and on PostgreSQL where TEST_DATABASE_URL names one. Each
 * test finds the database migrated and empty; the tests of one file share it.
 */
export function testOnDatabases(
  name: string,
  test: (database: Database) => Promise<void>,
  kinds = KINDS,
): void {
  for (const kind of kinds) {
    const opened = openOnce(kind);
    Deno.test({
      name: `${name} (${kind.name})`,
      sanitizeOps: false, // the database works in the background
      sanitizeResources: false, // it stays open for the next test
      async fn() {
        const { database } = await opened();
        await emptyDatabase(database);
        await test(database);
      },
    });
  }
}

/** Runs a test whose subject is what is read of a source, which does not depend on the database. */
export function testOnOne(...[name, test]: Parameters<typeof testOnDatabases>): void {
  testOnDatabases(name, test, KINDS.slice(0, 1));
}

/**
 * Runs a test on a new embedded database without tables, and on such a PostgreSQL database where
 * TEST_DATABASE_URL names one. It may open another one of the same kind, and closes that.
 */
export function testOnNewDatabases(
  name: string,
  test: (database: Database, openOther: () => Promise<Database>) => Promise<void>,
): void {
  const kinds = {
    embedded: openNewEmbedded,
    ...TEST_DATABASE_URL && { PostgreSQL: openNewPostgres },
  };
  for (const [kind, open] of Object.entries(kinds)) {
    Deno.test({
      name: `${name} (${kind})`,
      sanitizeOps: false,
      sanitizeResources: false,
      async fn() {
        const database = await open();
        await test(database, open).finally(() => database.close());
      },
    });
  }
}

/** Closing it drops it. */
async function openNewPostgres(): Promise<Database> {
  const { url, drop } = await createScratchDatabase();
  const database = await openPostgres(url);
  return { ...database, close: () => database.close().then(drop) };
}

const openDatabases = new Map<TestDatabase, ReturnType<TestDatabase["open"]>>();

function openOnce(kind: TestDatabase): () => ReturnType<TestDatabase["open"]> {
  return () => {
    if (!openDatabases.has(kind)) openDatabases.set(kind, kind.open());
    return openDatabases.get(kind)!;
  };
}

Deno.test.afterAll(async () => {
  for (const opened of openDatabases.values()) await (await opened).close();
});

/**
 * Removes everything but the migrations, and every setting of the session. Small tables are not
 * truncated: that creates new files for each of their indexes.
 */
export async function emptyDatabase(database: Database): Promise<void> {
  // The embedded database has one session, which a test may have set to another time zone.
  await database.script("reset all");
  await database.script(`do $$
    declare
      name text;
    begin
      set local session_replication_role = replica;
      for name in
        select quote_ident(tablename) from pg_tables
        where schemaname = 'public' and tablename <> 'migrations'
      loop
        if pg_relation_size(name::regclass) = 0 then
          continue;
        elsif pg_relation_size(name::regclass) < 100000 then
          execute format('delete from %s', name);
        else
          execute format('truncate %s cascade', name);
        end if;
      end loop;
      perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname = 'public' and last_value is not null;
      insert into service_state default values;
    end $$`);
}

/** In memory: reading and writing files takes more time than the statements of most tests. */
async function openMigrated() {
  await holdCompiled();
  const database = await openInMemory(await migratedImage());
  return { database, close: () => database.close() };
}

/** A dump of an embedded database that is migrated and empty. */
async function migratedImage(): Promise<Blob> {
  const path = `${await prepareFolder("migrated", async () => {})}.tar.gz`;
  try {
    return new Blob([await Deno.readFile(path)]);
  } catch {
    const folder = await Deno.makeTempDir();
    const unfinished = `${path}.${crypto.randomUUID()}`;
    await withEmbedded(folder, (database) =>
      packCluster(database, folder, {
        copy: `${folder}.files`,
        read: () => Promise.resolve(),
        write: (archive) => Deno.writeFile(unfinished, archive),
      }));
    await Deno.remove(folder, { recursive: true });
    await Deno.rename(unfinished, path);
    return new Blob([await Deno.readFile(path)]);
  }
}

/** Opens a new embedded database, not even migrated. */
export async function openNewEmbedded(): Promise<Database> {
  return await openTemporary(await Deno.makeTempDir());
}

/** Opens a migrated embedded database: a copy, because creating one takes seconds. */
export async function openMigratedEmbedded(): Promise<Database> {
  const folder = await Deno.makeTempDir();
  await copyMigrated(folder);
  return await openTemporary(folder);
}

/** Creates a migrated and empty embedded database in a folder, which may exist already. */
export async function copyMigrated(folder: string): Promise<void> {
  await copyFolder(await prepareFolder("migrated", async () => {}), folder);
}

/** Creates an embedded database in a folder as after the first start: with the sample. */
export async function copyStarted(folder: string): Promise<void> {
  const today = isoDate(new Date());
  const load = (database: Database) => loadSample(database, today);
  await copyFolder(await prepareFolder(`started-${today}`, load), folder);
}

/** Copies the folder of an embedded database that no process has open. */
export async function copyFolder(from: string, to: string): Promise<void> {
  await holdCompiled();
  await Deno.mkdir(to, { recursive: true });
  await new Deno.Command("cp", { args: ["-r", `${from}/.`, to] }).output();
}

let compiled: WebAssembly.Module | null = null;

/** Holds what runs PostgreSQL: V8 then compiles it once for all threads of this process. */
async function holdCompiled(): Promise<void> {
  const pglite = import.meta.resolve("@electric-sql/pglite");
  compiled ??= await WebAssembly.compile(await Deno.readFile(new URL("pglite.wasm", pglite)));
}

/** Closing it removes the folder. */
async function openTemporary(folder: string): Promise<Database> {
  const database = await openEmbedded(folder);
  return {
    ...database,
    async close() {
      await database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * The folder of an embedded database that is migrated and filled by `fill`. It is cached under this
 * name for all test runs until it is unused for a day, and never opened again.
 */
async function prepareFolder(
  name: string,
  fill: (database: Database) => Promise<unknown>,
): Promise<string> {
  const migrations = await readMigrations();
  const checksum = createHash("sha256").update(JSON.stringify(migrations)).digest("hex");
  const folder = join(temporaryFolder(), `roadcast-test-${name}-${checksum.slice(0, 16)}`);
  if (await holdsEmbedded(folder)) {
    await Deno.utime(folder, new Date(), new Date());
    return folder;
  }
  await removeStale();
  const unfinished = `${folder}.${Deno.pid}.${crypto.randomUUID()}`;
  const database = await openEmbedded(unfinished);
  await migrate(database, migrations);
  await fill(database);
  await database.close();
  // If several test files start together, the first one wins.
  await Deno.rename(unfinished, folder).catch(() => Deno.remove(unfinished, { recursive: true }));
  return folder;
}

/** Removes prepared folders that were not used for a day. */
async function removeStale(): Promise<void> {
  for await (const { name } of Deno.readDir(temporaryFolder())) {
    if (!name.startsWith("roadcast-test-")) continue;
    const path = join(temporaryFolder(), name);
    const { mtime } = await Deno.stat(path).catch(() => ({ mtime: null }));
    if (mtime === null || Date.now() - mtime.getTime() < 24 * 3_600_000) continue;
    await Deno.remove(path, { recursive: true }).catch(() => {}); // another run was faster
  }
}

function temporaryFolder(): string {
  return Deno.env.get("TMPDIR") || "/tmp";
}

/**
 * Does something with the embedded database in a folder, and closes it for other processes; a folder
 * without a database gets a migrated and empty one.
 */
export async function withEmbedded<Result>(
  folder: string,
  work: (database: Database) => Promise<Result>,
  options?: Parameters<typeof openEmbedded>[1],
): Promise<Result> {
  if (!await holdsEmbedded(folder)) await copyMigrated(folder);
  const database = await openEmbedded(folder, options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function openScratchDatabase() {
  const database = await openNewPostgres();
  await migrate(database, await readMigrations());
  return { database, close: () => database.close() };
}

/** Creates an empty database on the PostgreSQL of the tests, with a function to drop it. */
export async function createScratchDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `roadcast_test_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = new URL(TEST_DATABASE_URL!);
  await runOnServer(`create database ${name}`);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOnServer(`drop database ${name} with (force)`) };
}

async function runOnServer(statement: string): Promise<void> {
  const server = postgres(TEST_DATABASE_URL!, { max: 1, onnotice: () => {} });
  await server.unsafe(statement);
  await server.end();
}
