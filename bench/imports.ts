import { join } from "node:path";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { copyIntoEmbedded, copyIntoPostgres } from "./copy_items.ts";
import { findFreePort, startServer, watchMemory } from "./process.ts";
import { readUntil } from "./read_until.ts";
import { createDatabase, dropDatabase } from "./scratch.ts";
import { makeRows, type SnapshotRow, writeSnapshot } from "./snapshot_rows.ts";

/** The ratio to a bare COPY, megabytes, and milliseconds. */
const GOALS = { PostgreSQL: 2, embedded: 2.5, memory: 512, p99: 1_000 } as const;

/**
 * Compares the import of a whole roadmap with one COPY of the same rows; true: all goals reached.
 */
export async function benchImports(items: number, server: string | null): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "roadcast-bench-" });
  try {
    const snapshot = join(folder, "snapshot.ndjson");
    await writeSnapshot(snapshot, makeRows(items));
    const name = server ? "PostgreSQL" : "the embedded database";
    console.log(`\nImport of ${items.toLocaleString("en")} items on ${name}`);
    const copied = await withScratch(
      server,
      join(folder, "copied"),
      (settings) => measureCopy(settings, makeRows(items)),
    );
    console.log(`One COPY of the same rows${seconds(copied).padStart(12)}`);
    const imported = await withScratch(
      server,
      join(folder, "imported"),
      (settings) => measureImport(settings, snapshot, items),
    );
    const ratio = imported.milliseconds / copied;
    console.log(
      `The import${seconds(imported.milliseconds).padStart(27)}   ratio ${ratio.toFixed(2)}`,
    );
    console.log(
      `Reads meanwhile: ${imported.reads.count}, p50 ${imported.reads.p50.toFixed(0)} ms, ` +
        `p99 ${imported.reads.p99.toFixed(0)} ms, ${imported.reads.refused} answered 503`,
    );
    console.log(`Most memory of a process: ${imported.memory.toFixed(0)} MB`);
    return ratio <= GOALS[server ? "PostgreSQL" : "embedded"] &&
      imported.memory <= GOALS.memory && imported.reads.p99 <= GOALS.p99;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Where a scratch database is. */
interface Settings {
  DATABASE_URL: string;
  DATA_DIR: string;
}

async function withScratch<Result>(
  server: string | null,
  folder: string,
  work: (settings: Settings) => Promise<Result>,
): Promise<Result> {
  if (server === null) return await work({ DATABASE_URL: "", DATA_DIR: folder });
  const url = await createDatabase(server);
  try {
    return await work({ DATABASE_URL: url.href, DATA_DIR: folder });
  } finally {
    await dropDatabase(server, url);
  }
}

async function measureCopy(
  { DATABASE_URL, DATA_DIR }: Settings,
  rows: Iterable<SnapshotRow>,
): Promise<number> {
  const own = { databaseUrl: DATABASE_URL || null, dataDir: DATA_DIR };
  const database = await openDatabase(own);
  await migrate(database, await readMigrations());
  await database.close();
  return DATABASE_URL
    ? await copyIntoPostgres(DATABASE_URL, rows)
    : await copyIntoEmbedded(DATA_DIR, rows);
}

/** Imports the snapshot with the command, while a server answers requests for pages. */
async function measureImport(settings: Settings, snapshot: string, items: number) {
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  await using service = await startServer({ ...settings, PORT: String(port) });
  const done = new AbortController();
  const reads = readUntil(done.signal, origin);
  const started = performance.now();
  const command = new Deno.Command("deno", {
    args: ["run", "--allow-all", "main.ts", "import", snapshot, "--allow-mass-removal"],
    env: { ...settings },
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  using memory = watchMemory([service.pid, command.pid]);
  const { success } = await command.status;
  const milliseconds = performance.now() - started;
  done.abort();
  const { pagination } = await (await fetch(`${origin}/api/releases`)).json();
  if (!success || pagination.total_items !== items) throw new Error("The import failed");
  return { milliseconds, memory: memory.most, reads: await reads };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
