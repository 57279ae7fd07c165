import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { runHere } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";
import { startServer } from "../../support/server.ts";

const FIXTURE = new URL("../../fixtures/fabric.json", import.meta.url).pathname;

async function run(words: string[], settings: Record<string, string>) {
  const { code, out, err } = await runHere(words, settings);
  return { code, output: `${out}${err}` };
}

Deno.test("A backup is complete, never overwritten, and restores to a new database", async () => {
  const folder = await Deno.makeTempDir();
  const settings = { DATA_DIR: `${folder}/old` };
  const moved = { DATA_DIR: `${folder}/new` };
  const file = `${folder}/roadcast.backup`;

  assertEquals(await run(["backup", file], settings), {
    code: 2,
    output: `There is no embedded database in ${folder}/old`,
  });
  await copyMigrated(settings.DATA_DIR);
  assertEquals((await run(["import", FIXTURE], settings)).code, 0);
  const written = await run(["backup", file], settings);
  assertMatch(written.output, /^Wrote 2 items to .*roadcast\.backup \(\d+\.\d MB\)$/);
  assertEquals(written.code, 0);
  assertEquals((await Deno.stat(file)).mode! & 0o777, 0o600, "it contains addresses");
  assertEquals(await run(["backup", file], settings), {
    code: 2,
    output: `${file} already exists: choose another file`,
  });
  assertMatch(
    (await run(["restore", file], settings)).output,
    /^There is a database in .*\/old already/,
  );

  assertEquals(await run(["backup", `${folder}/none/file`], settings), {
    code: 1,
    output: `Cannot back up to ${folder}/none/file: No such file or directory`,
  });

  const bytes = await Deno.readFile(file);
  await Deno.writeFile(`${folder}/cut`, bytes.subarray(0, bytes.length - 1_000));
  const cut = await run(["restore", `${folder}/cut`], moved);
  assertEquals(cut.code, 1);
  assertMatch(cut.output, /^Cannot restore .*\/cut: it is not a complete backup \(/);

  assertEquals(await run(["restore", file], moved), {
    code: 0,
    output: `Restored 2 items to ${folder}/new`,
  });
  {
    await using server = await startServer(moved);
    const { data } = await (await fetch(`${server.url}/api/releases`)).json();
    assertEquals(data.length, 2);
    assertMatch((await run(["backup", `${folder}/2`], moved)).output, /^Wrote 2 items to /);
  }
  await Deno.remove(folder, { recursive: true });
});

/** A tar archive with one file whose header claims a size, and two zero blocks at its end. */
function makeTar({ name, size, content = "" }: { name: string; size: number; content?: string }) {
  const bytes = new Uint8Array(2048);
  const write = (text: string, at: number) => bytes.set(new TextEncoder().encode(text), at);
  write(name, 0);
  write(size.toString(8).padStart(11, "0"), 124);
  write("        ", 148);
  write("0", 156);
  write("ustar\0", 257);
  write(content, 512);
  const sum = bytes.subarray(0, 512).reduce((sum, byte) => sum + byte, 0);
  write(`${sum.toString(8).padStart(6, "0")}\0`, 148);
  return bytes;
}

Deno.test("Of two backups to one file, the second leaves the first alone", async () => {
  const folder = await Deno.makeTempDir();
  const settings = { DATA_DIR: `${folder}/data` };
  await copyMigrated(settings.DATA_DIR);
  const file = `${folder}/backup`;
  for (const words of [["backup", file], ["backup", "--sql", file]]) {
    const own = `${file}.unfinished${words.length === 2 ? ".files" : ""}`;
    await (words.length === 2 ? Deno.mkdir(own) : Deno.writeTextFile(own, "of the first"));
    const second = await run(words, settings);
    assertEquals(second.code, 1);
    assertMatch(
      second.output,
      /^\S+backup is being written by another backup: choose another file, or, if /,
    );
    assertEquals(
      [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
      [
        own.slice(folder.length + 1),
        "data",
      ].sort(),
    );
    await Deno.remove(own, { recursive: true });
    assertEquals((await run(words, settings)).code, 0);
    await Deno.remove(file);
  }
  await Deno.remove(folder, { recursive: true });
});

async function pack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(packed).bytes();
}

Deno.test("An invalid backup is refused in one line, and leaves nothing behind", async () => {
  const folder = await Deno.makeTempDir();
  const noTar = makeTar({ name: "a", size: 0 }).with(0, 98);
  const files: Record<string, [content: Uint8Array, reason: RegExp]> = {
    "zeros": [await pack(new Uint8Array(5_000_000)), /^it has no files$/],
    "noise": [await pack(crypto.getRandomValues(new Uint8Array(60_000))), /^Invalid .*\.$/],
    "a wrong sum": [await pack(noTar), /^Invalid .*\.$/],
    "nothing": [new Uint8Array(), /gzip/],
    "text": [new TextEncoder().encode("hello"), /gzip/],
    "a part": [await pack(makeTar({ name: "a", size: 2_000 })), /^Tar archive is truncated\.$/],
    "too much": [await pack(makeTar({ name: "a", size: 2 ** 32 })), /^it holds more than 2 GB$/],
    "something else": [
      await pack(makeTar({ name: "PG_VERSION", size: 3, content: "18\n" })),
      /^PGlite failed to initialize properly$/,
    ],
  };
  for (const [name, [content, reason]] of Object.entries(files)) {
    const file = `${folder}/${name}`;
    await Deno.writeFile(file, content);
    const { code, output } = await run(["restore", file], { DATA_DIR: `${folder}/new` });
    assertEquals([name, code, output.split("\n").length], [name, 1, 1], output);
    const [, said] = /^Cannot restore .*: it is not a complete backup \((.*)\)$/.exec(output) ?? [];
    assertMatch(said ?? output, reason);
    await Deno.remove(file);
  }
  assertEquals([...Deno.readDirSync(folder)], []);
  for (const file of [`${folder}/missing`, folder]) {
    const { code, output } = await run(["restore", file], { DATA_DIR: `${folder}/new` });
    assertEquals([code, output.startsWith(`Cannot read ${file}: `)], [2, true], output);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Backup and restore refuse a PostgreSQL and name its own tools", async () => {
  const settings = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
  assertEquals(await run(["backup", "x"], settings), {
    code: 2,
    output: "DATABASE_URL names a PostgreSQL: back it up with pg_dump, or move it with --sql",
  });
  assertEquals(await run(["restore", "x"], settings), {
    code: 2,
    output: "DATABASE_URL names a PostgreSQL: restore it with pg_restore, or with psql what " +
      "`backup --sql` has written",
  });
});
