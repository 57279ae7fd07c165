import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { runCommand } from "../support/command.ts";
import { testOnOwnDatabases } from "../support/fault_databases.ts";
import { startServer } from "../support/server.ts";

/** In megabytes, what JavaScript may take: half of what the start task allows. */
const HEAP = 256;
const TEXT = "Some words of a very long description. ".repeat(25_000);
const COUNT = 24;

testOnOwnDatabases(
  `A heap of ${HEAP} MB is enough for many clients that ask for all there is`,
  async (settings) => {
    await importTexts(settings, "Old");
    await importTexts(settings, "New");
    await using server = await startServer({
      ...settings,
      ROADMAP_VARIANT: "both",
      LOG_REQUESTS: "off",
      DENO_V8_FLAGS: `--max-old-space-size=${HEAP}`,
    });
    const numbers = Array.from({ length: COUNT }, (_, index) => index + 1);
    const floods = [
      numbers.map((days) => `/api/changelog?days=${days}`),
      numbers.map((page) => `/api/releases?page_size=200&page=${page}`),
      numbers.map((page) => `/b/api/releases?page_size=200&page=${page}`),
      numbers.map((number) => `/api/releases/history/${makeItem(number).release_item_id}`),
      numbers.map((number) => `/release/${makeItem(number).release_item_id}`),
      numbers.map((number) => `/rss?limit=${number}`),
      numbers.map((days) => `/changelog?days=${days}`),
    ];
    for (const paths of floods) {
      const statuses = await Promise.all(paths.map((path) => statusOf(server.url + path)));
      // A slow machine may send some away; what it builds must not be its end.
      const others = statuses.filter((status) => status !== 200 && status !== 503);
      assertEquals([others, statuses.includes(200)], [[], true], paths[0]);
    }
    assertEquals(await statusOf(`${server.url}/health`), 200);
    console.log(`At most ${await readPeak(server.pid)} of memory were taken`);
  },
);

async function importTexts(settings: Record<string, string>, word: string): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const items = Array.from(
    { length: COUNT },
    (_, index) =>
      makeItem(index + 1, { feature_description: `${word} ${index} ${TEXT}`, last_modified: null }),
  );
  await Deno.writeTextFile(file, JSON.stringify(items));
  const { code, err } = await runCommand(["import", file], settings);
  await Deno.remove(file);
  assertEquals([code, err], [0, ""]);
}

async function statusOf(address: string): Promise<number | string> {
  try {
    const response = await fetch(address);
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The most memory that a process has taken so far, where the system tells. */
async function readPeak(pid: number): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return /^VmHWM:\s+(.*)$/m.exec(status)?.[1] ?? "(not known)";
}
