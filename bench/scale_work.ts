import type { Connection } from "../lib/database/database.ts";
import { delay } from "../lib/work/delay.ts";
import { countDigests } from "./scale_checks.ts";
import { makeDigestsDue, readDigestRun } from "./scale_data.ts";
import type { PlannedImport } from "./scale_imports.ts";
import { postImport } from "./scale_servers.ts";

/** How late a server may notice new data (lib/database/data_version.ts: it polls). */
const NOTICE_MS = 2_000;
const LOOK_MS = 100;

/** Imports through one server after the other, and waits until all of them serve what is new. */
export async function runImport(
  servers: readonly string[],
  number: number,
  { items }: PlannedImport,
): Promise<{ seconds: number; noticed: number; wrong: string[] }> {
  const started = performance.now();
  const counts = await postImport(servers[number % servers.length]!, items);
  const ended = performance.now();
  const wanted = { added: 0, changed: items.length, removed: 0, restored: 0, unchanged: 0 };
  const wrong = JSON.stringify(counts, Object.keys(wanted)) === JSON.stringify(wanted)
    ? []
    : [`Import ${number + 1} answered ${JSON.stringify(counts)}`];
  const { release_item_id: id, feature_name } = items.at(-1)!;
  const noticed = await Promise.all(servers.map(async (server) => {
    for (let at = 0;;) {
      at = performance.now() - ended;
      const response = await fetch(`${server}/api/releases?release_item_id=${id}`);
      if ((await response.text()).includes(JSON.stringify(feature_name))) return at;
      if (at > NOTICE_MS) {
        wrong.push(`${server} served old data ${at.toFixed(0)} ms after import ${number + 1}`);
        return at;
      }
    }
  }));
  return { seconds: (ended - started) / 1_000, noticed: Math.max(...noticed), wrong };
}

/** Makes the digests due and waits until they are in the outbox; in seconds from then on. */
export async function queueDigests(
  database: Connection,
): Promise<{ begun: number; queued: number }> {
  await makeDigestsDue(database);
  const started = performance.now();
  const passed = () => (performance.now() - started) / 1_000;
  let begun: number | undefined;
  while (true) {
    const { isBegun, isQueued } = await readDigestRun(database);
    if (isBegun) begun ??= passed();
    if (isQueued) return { begun: begun!, queued: passed() };
    await delay(LOOK_MS);
  }
}

/** Waits until no mail waits, or until that time. */
export async function waitForMails(database: Connection, until: number): Promise<void> {
  while (Date.now() < until && (await countDigests(database)).waiting) await delay(LOOK_MS * 10);
}
