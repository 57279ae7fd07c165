import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import http from "node:http";
import { join } from "node:path";
import { runHere } from "../support/command.ts";
import { copyFolder } from "../support/databases.ts";
import { testOnOwnDatabases } from "../support/fault_databases.ts";
import { findFreePort, startServer } from "../support/server.ts";
import { hasNginx, startNginx, UNLIMITED } from "../support/servers/nginx.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";

const ITEMS = 3_000;
/** The concurrent requests of the hostile client; nginx lets one have 60. */
const UNDER_WAY = 50;
const POLITE_REQUESTS = 30;
const MOST_BUILDS = 3;

const HOSTILE = "127.0.0.9";
const POLITE = "127.0.0.2";

/** Requests that are a new search each time. */
const KINDS: readonly ((words: string) => string)[] = [
  (words) => `/?view=board&q=${words}`,
  (words) => `/api/releases?page_size=200&q=${words}`,
  (words) => `/changelog?q=${words}`,
];

if (hasNginx()) {
  testOnOwnDatabases(
    `Beside one hostile client a polite one waits at most ${MOST_BUILDS} times the dearest build`,
    async (settings) => {
      const own = await importAll(settings);
      await using server = await start({ ...settings, TRUSTED_PROXIES: "1" });
      await using nginx = await startNginx([server.port], UNLIMITED);
      // A build of its own takes as long there as the machine lets it, at the same time.
      await using alone = await start(own);
      const agent = new http.Agent({ keepAlive: true });
      let number = 0;
      const ask = async (port: number, localAddress: string, kind = number % KINDS.length) => {
        const path = KINDS[kind]!(`feature+${number++}`);
        const asked = performance.now();
        const status = await get({ port, path, localAddress, agent });
        // What is sent within one millisecond may be too much for nginx, whatever the rate.
        if (localAddress === POLITE || status !== 429) assertEquals(status, 200);
        return { status, milliseconds: performance.now() - asked };
      };
      for (let count = 0; count < 20; count++) {
        for (const { port } of [nginx, alone]) await ask(port, POLITE);
      }
      let isOver = false;
      let answered = 0;
      const hostile = Array.from({ length: UNDER_WAY }, async () => {
        while (!isOver) if ((await ask(nginx.port, HOSTILE)).status === 200) answered++;
      });
      const waits: number[] = [];
      const between: number[] = [];
      const builds = KINDS.map((): number[] => []);
      for (let count = 0; count < POLITE_REQUESTS; count++) {
        const kind = count % KINDS.length;
        const before = answered;
        waits.push((await ask(nginx.port, POLITE, kind)).milliseconds);
        between.push(answered - before);
        builds[kind]!.push((await ask(alone.port, POLITE, kind)).milliseconds);
      }
      isOver = true;
      await Promise.all(hostile);
      agent.destroy();
      const [waited, dearest] = [median(waits), Math.max(...builds.map(median))];
      const figures = `${waited.toFixed()} ms, the dearest build ${dearest.toFixed()} ms, ` +
        `${median(between)} others answered meanwhile`;
      assert(waited <= MOST_BUILDS * dearest, figures);
      // First come, first served would let all concurrent requests go first.
      assert(median(between) < UNDER_WAY / 2, figures);
    },
  );
}

/** Imports the items, and returns the settings of another server with them. */
async function importAll(settings: Record<string, string>): Promise<Record<string, string>> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(file, makeSnapshot(ITEMS));
  assertEquals((await runHere(["import", file], settings)).code, 0);
  await Deno.remove(file);
  if (!settings.DATA_DIR) return settings;
  const DATA_DIR = join(settings.DATA_DIR, "alone");
  await copyFolder(join(settings.DATA_DIR, "postgres"), join(DATA_DIR, "postgres"));
  return { DATA_DIR };
}

const start = (settings: Record<string, string>) =>
  startServer({ ...settings, PORT: String(findFreePort()) });

/** A busy machine may delay one request. */
function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1]!;
}

/** Sends a GET, and returns the status when all of the response is there. */
function get(options: http.RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "127.0.0.1", ...options });
    request.on("error", reject);
    request.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    });
  });
}
