import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import { makeItem } from "../support/app.ts";
import { type Ending, runCommand, runHere, runTask, startCommand } from "../support/command.ts";
import { copyMigrated, copyStarted } from "../support/databases.ts";
import { startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { withFolder } from "../support/folder.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";
import { settingsFor } from "../support/subjects/semantic.ts";
import { findFreePort, startServer, startServerByTask } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { waitFor } from "../support/wait_for.ts";

async function countItems(url: string): Promise<number> {
  const { pagination } = await (await fetch(`${url}/api/releases`)).json();
  return pagination.total_items;
}

/** Times, durations and sizes differ from one run to the next. */
function withoutFigures(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME").replace(
    /[\d.]+ (s|MB)\b/g,
    "N $1",
  );
}

Deno.test("Every command prints the same with and without a running server", () =>
  withFolder(async (folder) => {
    await using service = startEmbeddingServer();
    const PORT = String(findFreePort());
    const settings = {
      ...settingsFor(service),
      DATA_DIR: join(folder, "data"),
      PORT,
      BASE_URL: `http://127.0.0.1:${PORT}`,
    };
    const file = join(folder, "roadmap.json");
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1), makeItem(2)]));
    const commands = [
      ["import", file, "--as-of", "2026-07-01"],
      ["imports"],
      ["migrate"],
      ["embed"],
      ["search", "feature"],
      ["digest"],
      ["outbox"],
      ["outbox", "--retry"],
      ["subscriptions"],
      ["subscriptions", "--export"],
      ["subscriptions", "--delete", "ann@example.com"],
    ];
    const runAll = async (run: (words: string[], given: typeof settings) => Promise<Ending>) => {
      const endings = [];
      for (const words of commands) {
        const { code, out, err } = await run(words, settings);
        endings.push({ words, code, out: withoutFigures(out), err });
      }
      return endings;
    };
    await copyMigrated(settings.DATA_DIR);
    assertEquals((await runHere(commands[0]!, settings)).code, 0);
    assertEquals((await runHere(["embed"], settings)).code, 0);
    const alone = await runAll(runHere);
    for (const { code, err } of alone) assertEquals([code, err], [0, ""]);
    await using server = await startServerByTask(settings);
    const beside = await runAll(runTask);
    // The list includes the earlier imports as well.
    const [listedAlone, listed] = [alone, beside].map((all) =>
      all.splice(1, 1)[0]!.out.split("\n")
    );
    assertEquals(listed!.length, listedAlone!.length + 1);
    assertEquals(beside, alone);

    for (const words of [["nothing"], ["imports", "--limit", "0"], ["outbox", "x"]]) {
      assertEquals((await runHere(words, settings)).code, 2);
    }
    assertEquals((await runHere(["import", join(folder, "none.json")], settings)).code, 1);
    const second = await runCommand(["serve"], { ...settings, PORT: "0" });
    assertEquals([second.code, second.out], [1, ""]);
    match(second.err, /^The embedded database in .* is in use by process \d+ since /);
    assertEquals(await countItems(server.url), 2);
  }));

Deno.test("A running server serves a command's import at once", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data") };
    await copyStarted(settings.DATA_DIR);
    await using server = await startServer(settings);
    assertEquals(await countItems(server.url) > 2, true); // the sample
    const file = join(folder, "roadmap.json");
    await Deno.writeTextFile(file, makeSnapshot(3_000));
    // Readers get responses during the import.
    let isDone = false;
    const reading = (async () => {
      while (!isDone) {
        assertEquals((await fetch(`${server.url}/api/filter-options`)).status, 200);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const { code, out } = await runCommand(["import", file], settings);
    isDone = true;
    await reading;
    assertEquals([code, /3000 added/.test(out)], [0, true]);
    assertEquals(await countItems(server.url), 3_000);
  }));

Deno.test("An import beside a server matches several webhooks with several searches", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data"), WEBHOOK_ALLOW_PRIVATE: "true" };
    await copyStarted(settings.DATA_DIR);
    await using receiver = serveSource(() => new Response("ok"));
    await using _server = await startServer(settings);
    for (const name of ["one", "two", "three"]) {
      const searches = ["feature", "report", "model", "search"].flatMap((words) => ["--q", words]);
      const words = ["webhooks", "add", `${receiver.url}/${name}`, "--name", name, ...searches];
      assertEquals((await runHere(words, settings)).err, "");
    }
    const file = join(folder, "roadmap.json");
    for (let count = 20; count < 26; count++) {
      await Deno.writeTextFile(file, makeSnapshot(count));
      const { code, err } = await runHere(
        ["import", file, "--allow-mass-removal", "--announce"],
        settings,
      );
      assertEquals([code, err], [0, ""]);
    }
  }));

Deno.test("A backup of a running server is complete, even during imports", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data") };
    await copyStarted(settings.DATA_DIR);
    const file = join(folder, "roadmap.json");
    const backup = join(folder, "backup");
    {
      await using server = await startServerByTask(settings);
      let importing = true;
      const imports = (async () => {
        for (let count = 100; importing; count += 100) {
          await Deno.writeTextFile(file, makeSnapshot(count));
          assertEquals((await runHere(["import", file], settings)).code, 0);
        }
      })();
      const written = await runTask(["backup", backup], settings);
      importing = false;
      await imports;
      assertEquals([written.code, written.err], [0, ""]);
      match(written.out, /^Wrote \d+ items to /);
      const onto = await runHere(["restore", backup], settings);
      assertEquals(onto.code, 2);
      match(onto.err, /^There is a database in .* already: move it away/);
      assertEquals((await fetch(`${server.url}/ready`)).status, 200);
    }
    const restored = { DATA_DIR: join(folder, "restored") };
    assertEquals((await runTask(["restore", backup], restored)).code, 0);
    await using server = await startServer(restored);
    assert(await countItems(server.url) > 0);
  }));

Deno.test("An interrupted command leaves nothing half done, and the server keeps running", () =>
  withFolder(async (folder) => {
    const settings = { DATA_DIR: join(folder, "data") };
    await copyStarted(settings.DATA_DIR);
    await using server = await startServer(settings);
    const before = await countItems(server.url);
    const sent = Promise.withResolvers<void>();
    await using source = serveSource(() =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(makeSnapshot(2_000).slice(0, -10)));
            sent.resolve();
          },
        }),
      )
    );
    const importing = startCommand(["import", source.url], settings);
    await sent.promise;
    await waitFor("the first items to be stored aside", async () => {
      const { out } = await runHere(["imports", "--limit", "1"], settings);
      return out.includes("not finished");
    });
    importing.kill("SIGINT");
    assert(await importing.ended !== 0);
    assertEquals(await countItems(server.url), before);
    const file = join(folder, "roadmap.json");
    await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
    assertEquals((await runHere(["import", file], settings)).code, 0);
    assertEquals(await countItems(server.url), 1);
  }));

Deno.test("Commands find the server even if the path of its folder is very long", () =>
  withFolder(async (folder) => {
    const temporary = join(folder, "tmp");
    await Deno.mkdir(temporary);
    const settings = {
      DATA_DIR: join(folder, ...["a", "b", "c"].map((letter) => letter.repeat(60))),
      TMPDIR: temporary,
    };
    await copyStarted(settings.DATA_DIR);
    {
      await using server = await startServerByTask(settings);
      const { code, err } = await runTask(["outbox"], settings);
      assertEquals([code, err], [0, ""]);
      const [found] = [...Deno.readDirSync(temporary)].filter(({ name }) =>
        /^roadcast-/.test(name)
      );
      assertEquals((await Deno.stat(join(temporary, found!.name))).mode! & 0o777, 0o700);
      server.kill("SIGTERM");
      assertEquals(await server.ended, 0);
    }
    const left = [...Deno.readDirSync(temporary)].filter(({ name }) => /^roadcast-/.test(name));
    assertEquals(left, []);
  }));
