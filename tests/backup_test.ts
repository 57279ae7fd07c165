import { deepStrictEqual as assertEquals, match as assertMatch } from "node:assert/strict";
import { startCommand } from "./support/command.ts";
import { startServer } from "./support/server.ts";

const FIXTURE = new URL("./fixtures/fabric.json", import.meta.url).pathname;

async function run(words: string[], settings: Record<string, string>) {
  const command = startCommand(words, settings);
  return { code: await command.ended, output: command.output().trim() };
}

Deno.test("A backup holds everything, is never written over, and makes a new database", async () => {
  const folder = await Deno.makeTempDir();
  const settings = { DATA_DIR: `${folder}/old` };
  const moved = { DATA_DIR: `${folder}/new` };
  const file = `${folder}/roadcast.backup`;

  assertEquals(await run(["backup", file], settings), {
    code: 2,
    output: `There is no embedded database in ${folder}/old`,
  });
  assertEquals((await run(["import", FIXTURE], settings)).code, 0);
  const written = await run(["backup", file], settings);
  assertMatch(written.output, /^Wrote 2 items to .*roadcast\.backup \(\d+\.\d MB\)$/);
  assertEquals(written.code, 0);
  assertEquals(await run(["backup", file], settings), {
    code: 2,
    output: `There is a file ${file} already: choose another`,
  });
  assertMatch(
    (await run(["restore", file], settings)).output,
    /^There is a database in .*\/old already/,
  );

  const bytes = await Deno.readFile(file);
  await Deno.writeFile(`${folder}/cut`, bytes.subarray(0, bytes.length - 1_000));
  const cut = await run(["restore", `${folder}/cut`], moved);
  assertEquals(cut.code, 2);
  assertMatch(cut.output, /^Cannot restore .*\/cut: it is no whole backup \(/);

  assertEquals(await run(["restore", file], moved), {
    code: 0,
    output: `Restored 2 items to ${folder}/new`,
  });
  {
    await using server = await startServer(moved);
    const { data } = await (await fetch(`${server.url}/api/releases`)).json();
    assertEquals(data.length, 2);
    assertMatch((await run(["backup", `${folder}/2`], moved)).output, /is in use by process \d+/);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Backup and restore leave a PostgreSQL to its own tools", async () => {
  const settings = { DATABASE_URL: "postgres://127.0.0.1:1/none" };
  assertEquals(await run(["backup", "x"], settings), {
    code: 2,
    output: "DATABASE_URL names a PostgreSQL: back it up with pg_dump",
  });
  assertEquals(await run(["restore", "x"], settings), {
    code: 2,
    output: "DATABASE_URL names a PostgreSQL: restore it with pg_restore",
  });
});
