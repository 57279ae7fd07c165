import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort, readMemory, startServer, watchMemory } from "./servers/process.ts";
import { makeRows, writeSnapshot } from "./data/snapshot_rows.ts";

/** Megabytes: at most during the first start, and after it was read from following a restart. */
const GOALS = { first: 400, steady: 220 } as const;
const WORDS = 100;
/** Until garbage has been collected. */
const REST_MS = 5_000;

/** Measures the memory of a server with the embedded database; true: all goals reached. */
export async function benchStart(items: number): Promise<boolean> {
  const folder = await Deno.makeTempDir();
  try {
    const snapshot = join(folder, "snapshot.ndjson");
    await writeSnapshot(snapshot, makeRows(items));
    const first = await startAndRead({ DATA_DIR: join(folder, "data"), ROADMAP_SOURCE: snapshot });
    const again = await startAndRead({ DATA_DIR: join(folder, "data") });
    console.log(`\nMemory with the embedded database and ${items.toLocaleString("en")} releases`);
    console.log(`First start, at most${megabytes(first.most)}   goal ${GOALS.first} MB`);
    console.log(`Restart, at most    ${megabytes(again.most)}`);
    console.log(`Restart, after reads${megabytes(again.now)}   goal ${GOALS.steady} MB`);
    return first.most <= GOALS.first && again.now <= GOALS.steady;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Starts a server, waits until it is ready, and reads pages, searches, feeds and the changelog. */
async function startAndRead(
  settings: Record<string, string>,
): Promise<{ most: number; now: number }> {
  const port = findFreePort();
  await using service = await startServer({ ...settings, PORT: String(port) });
  using memory = watchMemory([service.pid]);
  const read = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.arrayBuffer();
    return response.ok;
  };
  while (!await read("/ready").catch(() => false)) await delay(100);
  for (const path of ["/", "/rss", "/changelog", "/api/filter-options"]) await read(path);
  for (let word = 0; word < WORDS; word++) {
    await read(`/api/releases?q=${word}`);
    await read(`/?page=${word % 20 + 1}`);
  }
  await delay(REST_MS);
  const now = await readMemory(service.pid) ?? 0;
  return { now, most: Math.max(memory.most, now) };
}

function megabytes(size: number): string {
  return `${size.toFixed(0).padStart(6)} MB`;
}
