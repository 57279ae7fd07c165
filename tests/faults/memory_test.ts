import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { makeItem } from "../support/app.ts";
import { runHere, startTask } from "../support/command.ts";
import { copyMigrated } from "../support/databases.ts";
import { testOnOwnDatabases } from "../support/fault_databases.ts";
import { withFolder } from "../support/folder.ts";
import { PostgresClient, type Reply } from "../support/postgres_client.ts";
import { startServer } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { MALLOC_VARIABLES, V8_FLAGS } from "../../tools/start_task.ts";

/** The JavaScript heap limit in megabytes: half of what the start task allows. */
const HEAP = 256;
/** As long as the longest description of the roadmaps that are known. */
const TEXT = "Some words of a very long description. ".repeat(460);
const COUNT = 200;
const CLIENTS = 24;

testOnOwnDatabases(
  `A heap of ${HEAP} MB is enough for many clients that request everything`,
  async (settings) => {
    await importTexts(settings, "Old");
    await importTexts(settings, "New");
    await using server = await startServer({
      ...settings,
      ROADMAP_VARIANT: "both",
      DENO_V8_FLAGS: `--max-old-space-size=${HEAP}`,
    });
    const numbers = Array.from({ length: CLIENTS }, (_, index) => index + 1);
    const floods = [
      numbers.map((days) => `/api/changelog?days=${days}`),
      numbers.map((fewer) => `/api/releases?page_size=${200 - fewer}`),
      numbers.map((fewer) => `/b/api/releases?page_size=${200 - fewer}`),
      numbers.map((fewer) => `/api/changes?limit=${400 - fewer}`),
      numbers.map((number) => `/api/releases/history/${makeItem(number).release_item_id}`),
      numbers.map((number) => `/release/${makeItem(number).release_item_id}`),
      numbers.map((number) => `/rss?limit=${number}`),
      numbers.map((days) => `/changelog?days=${days}`),
    ];
    for (const paths of floods) {
      const statuses = await Promise.all(paths.map((path) => statusOf(server.url + path)));
      // A slow machine may reject some requests, but must not crash.
      const others = statuses.filter((status) => status !== 200 && status !== 503);
      assertEquals([others, statuses.includes(200)], [[], true], paths[0]);
    }
    assertEquals(await statusOf(`${server.url}/health`), 200);
    console.log(`At most ${await readPeak(server.pid)} of memory were taken`);
  },
);

/** A page of up to 100 items of 4 KB each, out of as many as Azure has updates. */
function azurePage(skip: number) {
  const style = "margin:0px;user-select:text;font-family:&quot;Segoe UI&quot;, sans-serif";
  const html = `<p style="${style}"><span style="${style}">Some words of it.</span></p>`.repeat(20);
  const ids = Array.from({ length: 100 }, (_, index) => skip + index).filter((id) => id < 9_316);
  const availabilities = [{ ring: "Preview", year: 2026, month: "March" }];
  const lists = { productCategories: [], products: ["Batch"], availabilities };
  const value = ids.map((id) => ({
    id: String(id),
    title: `Update ${id}`,
    description: `${html}${id}`,
    status: "In preview",
    privatePreviewAvailabilityDate: null,
    ...lists,
  }));
  return { "@odata.count": 9_316, value };
}

Deno.test({
  name: "The import task loads Azure's updates into an embedded database within 400 MB",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const folder = await Deno.makeTempDir();
    await using server = serveSource((_request, { searchParams }) =>
      Response.json(azurePage(Number(searchParams.get("skip") ?? 0)))
    );
    const address = `${server.url}/releasecommunications/api/v2/azure`;
    const task = startTask(["import", address], { DATA_DIR: folder });
    let [hasEnded, peak] = [false, 0];
    const ending = task.ending.finally(() => hasEnded = true);
    while (!hasEnded) {
      peak = Math.max(peak, await readPeakBelow(task.pid));
      await delay(100); // each process says its peak so far
    }
    const { code, out } = await ending;
    await Deno.remove(folder, { recursive: true });
    assertEquals([code, /9316 added/.test(out)], [0, true], out);
    console.log(`At most ${peak} kB of memory were taken`);
    assert(peak > 0 && peak < 400 * 1024, `${peak} kB`);
  },
});

/** 200 MB. */
const LONG = "copy (select repeat('x', 1000) from generate_series(1, 200000)) to stdout";
/** What was held of answers twice took 765 MB. */
const MOST_FOR_ANSWERS = 700 * 1024;

Deno.test({
  name: "Long answers to other clients of the embedded database keep its memory bounded",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withFolder(async (DATA_DIR) => {
      await copyMigrated(DATA_DIR);
      await using server = await startServer({
        ...MALLOC_VARIABLES,
        DATA_DIR,
        DENO_V8_FLAGS: V8_FLAGS,
      });
      const client = postgres({ host: resolve(DATA_DIR, "server"), max: 1 });
      const [row] = await client`select repeat('x', 64 * 1024 * 1024) as text`;
      assertEquals(row!.text.length, 64 * 1024 * 1024);
      let copied = 0;
      for await (const chunk of await client.unsafe(LONG).readable()) copied += chunk.length;
      assertEquals(copied, 200_200_000);
      await client.end({ timeout: 1 });
      const peak = parseInt(await readPeak(server.pid));
      console.log(`At most ${peak} kB of memory were taken`);
      assert(peak < MOST_FOR_ANSWERS, `${peak} kB`);
      const { client: other } = await PostgresClient.connect(
        resolve(DATA_DIR, "server", ".s.PGSQL.5432"),
      );
      const replies = await other.query(LONG.replace("200000", "300000"));
      const [{ V, C, M }] = replies.map(({ fields }) => fields) as [Reply["fields"]];
      assertEquals([V, C, /256 MB at most: read it in parts/.test(M!)], ["FATAL", "54000", true]);
      assertEquals(replies.map(({ type }) => type), ["E", "end"]);
      other.close();
      assertEquals(await statusOf(`${server.url}/api/releases?q=now`), 200);
    }),
});

/** The peak memory so far, in kilobytes, of a process or one of its descendants. */
async function readPeakBelow(pid: number): Promise<number> {
  const tasks = await Array.fromAsync(Deno.readDir(`/proc/${pid}/task`)).catch(() => []);
  const lists = tasks.map(({ name }) =>
    Deno.readTextFile(`/proc/${pid}/task/${name}/children`).catch(() => "")
  );
  const children = (await Promise.all(lists)).join(" ").split(" ").filter(Boolean);
  const below = await Promise.all(children.map((child) => readPeakBelow(Number(child))));
  return Math.max(parseInt(await readPeak(pid)) || 0, ...below);
}

async function importTexts(settings: Record<string, string>, word: string): Promise<void> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  const items = Array.from(
    { length: COUNT },
    (_, index) =>
      makeItem(index + 1, { feature_description: `${word} ${index} ${TEXT}`, last_modified: null }),
  );
  await Deno.writeTextFile(file, JSON.stringify(items));
  const { code, err } = await runHere(["import", file], settings);
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

/** The peak memory of a process so far, where the system reports it. */
async function readPeak(pid: number): Promise<string> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return /^VmHWM:\s+(.*)$/m.exec(status)?.[1] ?? "(not known)";
}
