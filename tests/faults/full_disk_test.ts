import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { makeItem } from "../support/app.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";
import { mountDisk } from "../support/disk.ts";
import { startServer } from "../support/server.ts";
import { runHere, startCommand as runCommand } from "../support/command.ts";
import { copyMigrated } from "../support/databases.ts";
import { waitFor } from "../support/wait_for.ts";
import { serveSource } from "../support/servers/source_server.ts";

/** A new database takes some 50 MB. The first snapshot fits as well; others fill the disk. */
const DISK = "size=90m";
/** The number of items that fill the disk while they are read, or while they are stored. */
const FILLS = { reading: 6_000, storing: 2_500 };
/** A new database does not fit. */
const TINY_DISK = "size=20m";

const disk = await mountDisk(DISK);

Deno.test({
  name: "A full disk fails an import and harms nothing",
  ignore: disk === null,
  async fn() {
    const DATA_DIR = `${disk!.folder}/data`;
    try {
      await importSmall(DATA_DIR, 500);
      const large = await fillDisk(DATA_DIR, FILLS.reading);
      // The write-ahead log has filled the disk, and needs another file of 16 MB to recover.
      await disk!.remount("size=110m");
      await checkServing(DATA_DIR, large);
      await disk!.remount("size=400m");
      const again = await importSmall(DATA_DIR, 2_000);
      assertMatch(again, /1500 added, 0 changed, 0 removed, 0 restored, 500 unchanged/);
    } finally {
      await disk!.unmount();
    }
  },
});

Deno.test({
  name: "An import that fills the disk halfway names the full disk and is rolled back",
  ignore: disk === null,
  async fn() {
    const small = (await mountDisk(DISK))!;
    const DATA_DIR = `${small.folder}/data`;
    try {
      await importSmall(DATA_DIR, 500);
      await fillDisk(DATA_DIR, FILLS.storing);
      // PostgreSQL starts only if there is room for its write-ahead log.
      const listing = runCommand(["imports"], { DATA_DIR });
      if (await listing.ended !== 0) {
        assertEquals(
          listing.output(),
          `Cannot use the embedded database in ${DATA_DIR}: No space left on device; ` +
            "free up space, or move DATA_DIR\n",
        );
      }
      await small.remount("size=400m");
      const again = await importSmall(DATA_DIR, 2_000);
      assertMatch(again, /1500 added, 0 changed, 0 removed, 0 restored, 500 unchanged/);
    } finally {
      await small.unmount();
    }
  },
});

Deno.test({
  name: "On a full disk, restore fails with a one-line error and leaves no database",
  ignore: disk === null,
  async fn() {
    const source = await Deno.makeTempDir();
    const tiny = (await mountDisk(TINY_DISK))!;
    try {
      await Deno.writeTextFile(`${source}/items.json`, makeSnapshot(2));
      const DATA_DIR = `${source}/data`;
      await copyMigrated(DATA_DIR);
      assertEquals((await runHere(["import", `${source}/items.json`], { DATA_DIR })).code, 0);
      assertEquals((await runHere(["backup", `${source}/backup`], { DATA_DIR })).code, 0);
      const restore = runCommand(["restore", `${source}/backup`], { DATA_DIR: tiny.folder });
      assertEquals([await restore.ended, restore.output()], [
        1,
        `Cannot restore to ${tiny.folder}: there is no space left on the disk\n`,
      ]);
      assertEquals([...Deno.readDirSync(tiny.folder)].map(({ name }) => name), ["roadcast.lock"]);
    } finally {
      await tiny.unmount();
      await Deno.remove(source, { recursive: true });
    }
  },
});

Deno.test({
  name: "On a full disk, a first start, a later start and a backup fail with one-line errors",
  ignore: disk === null,
  async fn() {
    const source = await Deno.makeTempDir();
    const full = (await mountDisk(TINY_DISK))!;
    try {
      const refused = (folder: string) =>
        `Cannot use the embedded database in ${folder}: No space left on device; ` +
        "free up space, or move DATA_DIR\n";
      const first = runCommand(["serve"], { DATA_DIR: full.folder, PORT: "0" });
      assertEquals([await first.ended, first.output()], [1, refused(full.folder)]);
      assertEquals([...Deno.readDirSync(full.folder)].map(({ name }) => name).sort(), [
        "roadcast.lock",
      ]);
      await full.remount(DISK);
      const DATA_DIR = `${full.folder}/data`;
      assertEquals(await runCommand(["migrate"], { DATA_DIR }).ended, 0);
      await fill(`${full.folder}/filler`);
      const start = runCommand(["serve"], { DATA_DIR, PORT: "0" });
      assertEquals([await start.ended, start.output()], [1, refused(DATA_DIR)]);
      const settings = { DATA_DIR: `${source}/data` };
      await copyMigrated(settings.DATA_DIR);
      const backup = runCommand(["backup", `${full.folder}/backup`], settings);
      assertEquals([await backup.ended, backup.output()], [
        1,
        `Cannot back up to ${full.folder}/backup: No space left on device\n`,
      ]);
    } finally {
      await full.unmount();
      await Deno.remove(source, { recursive: true });
    }
  },
});

/** Imports items that fit, and returns the output of the command. */
async function importSmall(DATA_DIR: string, count: number): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(path, makeSnapshot(count));
  const importing = runCommand(["import", path], { DATA_DIR });
  assertEquals(await importing.ended, 0, importing.output());
  await Deno.remove(path);
  return importing.output();
}

/** Imports items that do not fit, and returns their snapshot. */
async function fillDisk(DATA_DIR: string, count: number): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  const snapshot = makeIncompressible(count);
  await Deno.writeTextFile(path, snapshot);
  const failing = runCommand(["import", path], { DATA_DIR });
  assertEquals(await failing.ended, 1);
  assertMatch(failing.output(), /^[^\n]+No space left on device\n$/);
  await Deno.remove(path);
  return snapshot;
}

/** Writes until no room is left. */
async function fill(path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true });
  const zeros = new Uint8Array(64 * 1024);
  for (;;) {
    const written = await file.write(zeros).catch(() => 0);
    if (written === 0) return;
  }
}

/** Checks that a server whose import fills the disk keeps serving the previous data. */
async function checkServing(DATA_DIR: string, snapshot: string): Promise<void> {
  await using source = serveSource(() => new Response(snapshot));
  await using server = await startServer({ DATA_DIR, ROADMAP_SOURCE: source.url });
  await waitFor("the import to fail", () => /Cannot import/.test(server.output()), 120_000);
  assertMatch(server.output(), /No space left on device/);
  for (const path of ["/api/releases", "/api/releases?q=word"]) {
    const response = await fetch(server.url + path);
    assertEquals(response.status, 200);
    assertEquals((await response.json()).pagination.total_items, 500);
  }
  assertEquals((await fetch(`${server.url}/ready`)).status, 200);
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0, server.output());
}

/** Items with incompressible descriptions, which take up their full length on the disk. */
function makeIncompressible(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, index) => {
    const noise = crypto.getRandomValues(new Uint8Array(4_500)).toBase64();
    return makeItem(index + 1, { feature_description: noise });
  }));
}
