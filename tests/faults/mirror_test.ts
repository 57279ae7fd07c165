import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { type Running, startCommand, startScript } from "../support/command.ts";
import { testOnOwnDatabases } from "../support/fault_databases.ts";
import { findFreePort, startServer, type TestServer } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { waitFor } from "../support/wait_for.ts";

const ROUNDS = 6;
const ITEMS = 300;
const MAX_SCRIPT_LINES = 24;

interface Mirror {
  after: string;
  releases: Record<string, { release: unknown; changes: Change[] }>;
}
type Change = { cursor: string } & Record<string, unknown>;

testOnOwnDatabases(
  "The mirror of docs/changes.md misses no change of a server that imports, restarts and is killed",
  async (settings) => {
    const folder = await Deno.makeTempDir();
    const script = `${folder}/mirror.mjs`;
    const file = `${folder}/mirror.json`;
    await Deno.writeTextFile(script, await readExample());
    let round = 0;
    await using source = serveSource(() => Response.json(makeRound(++round)));
    const port = findFreePort();
    const start = () =>
      startServer({ ...settings, PORT: String(port), ROADMAP_SOURCE: `${source.url}/items` });
    const startMirror = () => startScript([script, `http://127.0.0.1:${port}`, file]);
    let mirror: Running = startMirror();
    try {
      for (let count = 0; count < ROUNDS; count++) {
        await using server = await start();
        if (settings.DATABASE_URL) await importBeside(source.url, settings, count % 2 === 0);
        // Sometimes the mirror has caught up when the server stops, sometimes it is still reading.
        await new Promise((resolve) => setTimeout(resolve, count % 3 * 400));
        if (count % 3 === 1) {
          mirror.kill("SIGKILL");
          await mirror.ended;
          mirror = startMirror();
        }
        server.kill(count % 2 === 0 ? "SIGKILL" : "SIGTERM");
        await server.ended;
      }
      await using server = await start();
      const { next_after, changes, releases } = await readWhole(server);
      await waitFor("the mirror", async () => (await readMirror(file)).after === next_after);
      const copy = await readMirror(file);
      const copied = Object.values(copy.releases);
      assertEquals(
        copied.flatMap(({ changes }) => changes.map(({ cursor }) => cursor)).sort(),
        changes,
      );
      assert(changes.length > ITEMS * ROUNDS / 2, `${changes.length} changes`);
      assertEquals(
        new Map(Object.entries(copy.releases).map(([id, { release }]) => [id, release])),
        releases,
      );
    } finally {
      mirror.kill("SIGKILL");
      await mirror.ended;
    }
    await Deno.remove(folder, { recursive: true });
  },
);

/** The script that the page shows. */
async function readExample(): Promise<string> {
  const page = await Deno.readTextFile(new URL("../../docs/changes.md", import.meta.url));
  const [, script] = /```js\n(\/\/ mirror\.mjs\n.*?)```/s.exec(page)!;
  assert(script!.split("\n").length <= MAX_SCRIPT_LINES);
  return script!;
}

/** Snapshots in which a third of the items changes, some go, and some come back. */
function makeRound(round: number): unknown[] {
  return Array.from({ length: ITEMS }, (_, number) => number)
    .filter((number) => (number + round) % 7 !== 0)
    .map((number) =>
      makeItem(number, {
        release_status: `Round ${number % 3 === round % 3 ? round : 0}`,
        last_modified: null,
      })
    );
}

/** Imports with a command while the server runs; a killed one changes nothing. */
async function importBeside(
  source: string,
  settings: Record<string, string>,
  isKilled: boolean,
): Promise<void> {
  const importing = startCommand(["import", `${source}/items`], settings);
  if (isKilled) setTimeout(() => importing.kill("SIGKILL"), 1_500);
  await importing.ended;
}

/** All changes and releases of the server, read page by page. */
async function readWhole(server: TestServer) {
  const changes: string[] = [];
  const releases = new Map<string, unknown>();
  let after = "";
  for (let has_more = true; has_more;) {
    // With `wait` nothing comes from a cache.
    const response = await fetch(`${server.url}/api/changes?limit=137&wait=1&after=${after}`);
    const page = await response.json();
    for (const { cursor, release_item_id, release } of page.data) {
      changes.push(cursor);
      releases.set(release_item_id, release);
    }
    ({ next_after: after, has_more } = page);
  }
  assertEquals(new Set(changes).size, changes.length);
  return { next_after: after, changes: changes.sort(), releases };
}

async function readMirror(file: string): Promise<Mirror> {
  return await Deno.readTextFile(file).then(JSON.parse, () => ({ after: "", releases: {} }));
}
