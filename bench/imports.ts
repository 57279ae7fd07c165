import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { migrate, readMigrations } from "../lib/database/migrate.ts";
import { openDatabase } from "../lib/database/open_database.ts";
import { copyIntoEmbedded, copyIntoPostgres } from "./data/copy_items.ts";
import { findFreePort, runCommand, startServer } from "./servers/process.ts";
import { showSeconds } from "./report.ts";
import { percentile } from "./load/percentile.ts";
import { createDatabase } from "./servers/scratch.ts";
import { makeRows, type SnapshotRow, writeSnapshot } from "./data/snapshot_rows.ts";

/** The ratio to a bare COPY, megabytes, and reads that got 503. */
const GOALS = { PostgreSQL: 2, embedded: 2.5, memory: 512, refused: 0 } as const;
const READ_INTERVAL_MS = 50;

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
    console.log(`One COPY of the same rows${showSeconds(copied, 1).padStart(12)}`);
    const imported = await withScratch(
      server,
      join(folder, "imported"),
      (settings) => measureImport(settings, snapshot, items),
    );
    const ratio = imported.milliseconds / copied;
    console.log(
      `The import${showSeconds(imported.milliseconds, 1).padStart(27)}   ratio ${ratio.toFixed(2)}`,
    );
    console.log(
      `Uncached reads while all items change: ${imported.reads.count}, ` +
        `p50 ${imported.reads.p50.toFixed(0)} ms, p99 ${imported.reads.p99.toFixed(0)} ms, ` +
        `${imported.reads.refused} answered 503`,
    );
    console.log(`Most memory of a process: ${imported.memory.toFixed(0)} MB`);
    return ratio <= GOALS[server ? "PostgreSQL" : "embedded"] &&
      imported.memory <= GOALS.memory && imported.reads.refused <= GOALS.refused;
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
  await using created = server === null ? null : await createDatabase(server);
  return await work({ DATABASE_URL: created?.url ?? "", DATA_DIR: folder });
}

async function measureCopy(
  { DATABASE_URL, DATA_DIR }: Settings,
  rows: Iterable<SnapshotRow>,
): Promise<number> {
  const database = await openDatabase({ DATABASE_URL: DATABASE_URL || null, DATA_DIR });
  await migrate(database, await readMigrations());
  await database.close();
  return DATABASE_URL
    ? await copyIntoPostgres(DATABASE_URL, rows)
    : await copyIntoEmbedded(DATA_DIR, rows);
}

/** Imports the snapshot, and one that changes every item while a server is read. */
async function measureImport(settings: Settings, snapshot: string, items: number) {
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  await using service = await startServer({ ...settings, PORT: String(port) });
  const run = await runCommand(["import", snapshot], { ...settings }, [service.pid]);
  const changed = `${snapshot}.changed.ndjson`;
  await writeSnapshot(
    changed,
    makeRows(items).map((row) => ({ ...row, feature_name: `${row.feature_name} and more` })),
  );
  const done = new AbortController();
  const reads = readUntil(done.signal, origin);
  const { memory } = await runCommand(["import", changed], { ...settings }, [service.pid]);
  done.abort();
  const { pagination } = await (await fetch(`${origin}/api/releases`)).json();
  if (pagination.total_items !== items) throw new Error("The import failed");
  return { ...run, memory: Math.max(run.memory, memory), reads: await reads };
}

/** Requests uncached pages at a fixed rate, however long they take, until a signal ends it. */
async function readUntil(signal: AbortSignal, origin: string) {
  const times: number[] = [];
  let refused = 0;
  const read = async (number: number) => {
    const started = performance.now();
    const response = await fetch(`${origin}/api/releases?q=${number}`);
    await response.body?.cancel();
    times.push(performance.now() - started);
    if (response.status === 503) refused++;
  };
  const reads: Promise<void>[] = [];
  while (!signal.aborted) {
    reads.push(read(reads.length));
    await delay(READ_INTERVAL_MS);
  }
  await Promise.all(reads);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return { count: times.length, refused, p50, p99 };
}
