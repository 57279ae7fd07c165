import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { join } from "node:path";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { startApp } from "../support/app.ts";
import { runTask } from "../support/command.ts";
import { readFabric, serveFabricRoadmap } from "../support/subjects/fabric_roadmap.ts";
import { startServerByTask } from "../support/server.ts";
import { waitFor } from "../support/wait_for.ts";

const SOURCES = new URL("../../docs/sources.md", import.meta.url);

/** The code blocks of the chapter by language, in order. */
async function readBlocks(): Promise<Record<string, string[]>> {
  const chapter = (await Deno.readTextFile(SOURCES)).split("\n## ")
    .find((text) => text.startsWith("Your own roadmap in five minutes"))!;
  const blocks: Record<string, string[]> = {};
  for (const [, language, text] of chapter.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    (blocks[language || "output"] ??= []).push(text!);
  }
  return blocks;
}

Deno.test("Your own roadmap in five minutes: each step does what the page says", async () => {
  const folder = await Deno.makeTempDir();
  const settings = { DATA_DIR: join(folder, "data") };
  try {
    const { csv, json, sh, output } = await readBlocks();
    await Deno.writeTextFile(join(folder, "my-roadmap.csv"), csv![0]!);
    await Deno.writeTextFile(join(folder, "mapping.json"), json![0]!);
    const commands = sh!.join("").trim().split("\n").map((line) => line.split(" "));
    assertEquals(commands.map(([deno, task, name]) => `${deno} ${task} ${name}`), [
      ...["deno task import", "deno task import", "deno task start", "deno task import"],
    ]);
    const run = async ([, , ...words]: string[]) => {
      const ended = await runTask(
        words.map((word) => /\.\w+$/.test(word) ? join(folder, word) : word),
        settings,
      );
      assertEquals([ended.code, ended.err], [0, ""]);
      return ended.out.replaceAll(`${folder}/`, "");
    };
    const [dryRun, take, , mapped] = commands;
    assertEquals(await run(dryRun!), output![0]!.trim());
    assertMatch(await run(take!), /^Imported my-roadmap\.csv as of .*: 3 added, 0 changed/);
    const database = await openEmbedded(settings.DATA_DIR);
    const app = await startApp(database);
    const { data } = await app.json("/api/releases?sort=release_date");
    assertEquals(data.map((item: { release_date: string }) => item.release_date), [
      ...["Q1 2027", "Q1 2027", "Q3 2026"],
    ]);
    await app[Symbol.asyncDispose]();
    await database.close();
    const again = await run(mapped!);
    assertMatch(again, /"General availability" +release_type +for every item, by the mapping\n/);
    assertMatch(again, /release_status: In developme… -> Coming soon/);
    assertMatch(again, /^0 would be added, 3 changed, 0 removed, 0 restored, 0 unchanged\.$/m);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("README.md: one command follows a roadmap, and one publishes your own", async () => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  const [fabric, own] = [...readme.matchAll(/^((?:[A-Z_]+=\S+ )+)deno task start$/gm)]
    .map(([, settings]) =>
      Object.fromEntries(settings!.trim().split(" ").map((one) => one.split("=")))
    );
  const [, table] = /^```csv\n(.*?)^```$/ms.exec(readme)!;
  const folder = await Deno.makeTempDir();
  await using vendor = await serveFabricRoadmap({ document: await readFabric("broken.txt") });
  try {
    const file = join(folder, own!.ROADMAP_SOURCE!);
    await Deno.writeTextFile(file, table!);
    assertEquals(fabric!.ROADMAP_SOURCE, "https://roadmap.fabric.microsoft.com");
    const starts = [
      { settings: { ...fabric, ROADMAP_SOURCE: vendor.url }, count: 16 },
      { settings: { ...own, ROADMAP_SOURCE: file }, count: 3 },
    ];
    for (const [index, { settings, count }] of starts.entries()) {
      const DATA_DIR = join(folder, `data${index}`);
      await using server = await startServerByTask({ ...settings, DATA_DIR });
      await waitFor(`${count} releases`, async () => {
        const { pagination } = await (await fetch(`${server.url}/api/releases`)).json();
        return pagination.total_items === count;
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
