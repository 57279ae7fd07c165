import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { join } from "node:path";
import { openEmbedded } from "../../lib/database/embedded/embedded.ts";
import { startApp } from "../support/app.ts";
import { runHere, runTask } from "../support/command.ts";
import { readDocuments } from "../support/documents/documents.ts";
import { copyProject } from "../support/project_copy.ts";
import { readFabric, serveFabricRoadmap } from "../support/subjects/fabric_roadmap.ts";
import { startServerByTask, type TestServer } from "../support/server.ts";
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
      const ended = await runHere(
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
      ...["Q1 2028", "Q1 2028", "Q4 2027"],
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

Deno.test("README.md, from top to bottom in one folder, does what it says", async () => {
  const readme = (await readDocuments()).find(({ path }) => path === "README.md")!;
  await using vendor = await serveFabricRoadmap({ document: await readFabric("broken.txt") });
  await using copy = await copyProject();
  const own = { HOST: "127.0.0.1" };
  let server: TestServer | null = null;
  const counts: number[] = [];
  const stop = async () => {
    await server?.[Symbol.asyncDispose]();
    server = null;
  };
  try {
    for (const { language, text } of readme.blocks) {
      if (language === "csv") await Deno.writeTextFile(new URL("my-roadmap.csv", copy.url), text);
      if (language !== "sh") continue;
      const commands = text
        .replaceAll("https://roadmap.fabric.microsoft.com", vendor.url)
        .split(/^(?=deno task )/m);
      for (const task of commands) {
        if (task.startsWith("cat ")) await runShell(task, copy.url);
        if (!task.startsWith("deno task ") || task.startsWith("deno task test")) continue; // this one
        if (!task.startsWith("deno task start")) {
          const words = task.trim().split(" ").slice(2);
          const { code, out, err } = await runTask(words, {}, copy.url);
          assertEquals([code, err], [0, ""]);
          assertMatch(out, /0 added, 0 changed, 0 removed, 0 restored, 3 unchanged/);
          continue;
        }
        await stop();
        server = await startServerByTask(own, copy.url);
        const { url } = server;
        const count = async () => {
          const { pagination } = await (await fetch(`${url}/api/releases`)).json();
          return pagination.total_items as number;
        };
        await waitFor("releases", async () => await count() > 0);
        counts.push(await count());
      }
    }
  } finally {
    await stop();
  }
  assertEquals(counts, [96, 16, 3]);
});

async function runShell(commands: string, place: URL): Promise<void> {
  const { success } = await new Deno.Command("sh", { args: ["-c", commands], cwd: place }).output();
  assertEquals(success, true);
}
