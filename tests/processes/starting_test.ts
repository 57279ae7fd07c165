import { deepStrictEqual as assertEquals, match, ok as assert } from "node:assert/strict";
import { join } from "node:path";
import project from "../../deno.json" with { type: "json" };
import { loadSample } from "../../lib/import/sample/sample.ts";
import { importItems, makeItem, startApp, type TestApp, TODAY } from "../support/app.ts";
import { runHere, runTask, startCommand } from "../support/command.ts";
import {
  copyStarted,
  createScratchDatabase,
  TEST_DATABASE_URL,
  testOnDatabases,
} from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { makeCertificate } from "../support/servers/mail_server.ts";
import { ADMIN_TOKEN, cookieOf } from "../support/subjects/operator.ts";
import { copyProject } from "../support/project_copy.ts";
import { findFreePort, startServerByTask } from "../support/server.ts";
import { startReceiver } from "../support/subjects/webhooks.ts";
import { readHealth, waitFor } from "../support/wait_for.ts";

Deno.test("A file .env is read in the encodings in which Windows saves it", async () => {
  await using copy = await copyProject();
  const path = new URL(".env", copy.url);
  const write = async (bytes: Uint8Array) => {
    await Deno.writeFile(path, bytes);
    return (await runTask(["outbox"], {}, copy.url)).err;
  };
  const lines = (name: string) => `DATA_DIR=/no/such/${name}\r\nSITE_NAME=Wörter\r\n`;
  const utf16 = (text: string, isLittle: boolean) => {
    const view = new DataView(new ArrayBuffer(text.length * 2));
    for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
    return new Uint8Array(view.buffer);
  };
  const mark = "\ufeff";
  for (
    const [name, bytes] of [
      ["utf-8", new TextEncoder().encode(lines("utf-8"))],
      ["marked", new TextEncoder().encode(mark + lines("marked"))],
      ["powershell", utf16(mark + lines("powershell"), true)],
      ["big", utf16(mark + lines("big"), false)],
    ] as const
  ) {
    match(await write(bytes), new RegExp(`^There is no embedded database in /no/such/${name}: `));
  }
  const unreadable = [new Uint8Array([0x41, 0x3d, 0xfc]), utf16(lines("unmarked"), true)];
  for (const bytes of unreadable) {
    match(await write(bytes), /^Cannot read \.env: it is not UTF-8: save it as UTF-8$/m);
  }
});

Deno.test("Tasks read .env, the environment wins, and misspelled names are reported", async () => {
  await using copy = await copyProject();
  const folder = await Deno.makeTempDir();
  const lines = [
    `DATA_DIR="${join(folder, "of .env")}"`,
    "SITE_NAME='Named by .env'",
    "SMTP_URI=smtp://user:password@localhost",
    "ROADMAP_VARIANTS=b",
    "UNRELATED=1",
  ];
  await Deno.writeTextFile(new URL(".env", copy.url), `# a comment\n${lines.join("\n")}\n`);
  const outbox = (settings: Record<string, string>) => runTask(["outbox"], settings, copy.url);
  match((await outbox({})).err, /^There is no embedded database in .*\/of \.env: /);
  const own = { DATA_DIR: join(folder, "own") };
  match((await outbox(own)).err, /^There is no embedded database in .*\/own: /);
  await copyStarted(own.DATA_DIR);
  {
    await using server = await startServerByTask({ ...own, ADMIN_TOKEN }, copy.url);
    match(await (await fetch(server.url)).text(), /Named by \.env/);
    const form = { method: "POST", body: new URLSearchParams({ token: ADMIN_TOKEN }) };
    const signedIn = await fetch(`${server.url}/admin/sign-in`, { ...form, redirect: "manual" });
    await signedIn.body?.cancel();
    const headers = { cookie: cookieOf(signedIn) };
    const settings = (await (await fetch(`${server.url}/admin/settings`, { headers })).text())
      .replace(/ data-label="[^"]*"/g, "");
    match(settings, /SITE_NAME<\/code><\/td><td>Named by \.env<\/td><td>\.env<\/td>/);
    match(settings, /ADMIN_TOKEN<\/code><\/td><td>set, not shown<\/td><td>environment<\/td>/);
    const overview = await (await fetch(`${server.url}/admin`, { headers })).text();
    match(overview, /<dt>database<\/dt><dd>embedded PostgreSQL/);
    match(overview, /<summary>Upgrade notes<\/summary>/);
    const output = server.output().split("\n");
    assertEquals(output.filter((line) => line.includes("did you mean")), [
      "ROADMAP_VARIANTS is not a setting of Roadcast; did you mean ROADMAP_VARIANT?",
      "SMTP_URI is not a setting of Roadcast; did you mean SMTP_URL?",
    ]);
    assert(!server.output().includes("password"));
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Packages are installed before the first command, without a word", async () => {
  await using copy = await copyProject();
  await Deno.remove(new URL("node_modules", copy.url), { recursive: true });
  const { code, out, err } = await runTask(["outbox", "--help"], {}, copy.url);
  assertEquals(code, 0);
  match(out, /^Lists emails/);
  assertEquals(err, "");

  const isThere = (name: string) =>
    Deno.stat(new URL(`${name}/node_modules/smtp-server`, copy.url)).then(() => true, () => false);
  assertEquals([await isThere("."), await isThere("tests")], [false, false]);
  assertEquals((await runTask(["install:tests"], {}, copy.url)).code, 0);
  assertEquals([await isThere("."), await isThere("tests")], [false, true]);
});

Deno.test("An untrusted registry certificate is reported", async () => {
  await using copy = await copyProject();
  await Deno.remove(new URL("node_modules", copy.url), { recursive: true });
  await using registry = startReceiver(undefined, await makeCertificate());
  await withFolder(async (DENO_DIR) => {
    const settings = { DENO_DIR, NPM_CONFIG_REGISTRY: registry.url, DENO_NO_UPDATE_CHECK: "1" };
    const { code, err } = await runTask(["outbox", "--help"], settings, copy.url);
    assertEquals(code, 1);
    match(err, /invalid peer certificate/);
  });
});

Deno.test("Every command prints its help, whatever the settings are", async () => {
  const tasks = Object.entries(project.tasks)
    .flatMap(([task, { command }]) => {
      const name = / main\.ts (\w+)$/.exec(command)?.[1];
      return name ? [{ task, name }] : [];
    });
  assert(tasks.length > 10);
  for (const { task, name } of tasks) {
    const { code, out, err } = await runHere([name, "x", "--help"], { PORT: "wrong" });
    assertEquals([code, err], [0, ""]);
    match(out, new RegExp(`^[A-Z][^\\n]+\\.\\n\\nUsage: deno task ${task}( |\\n)`));
  }
  assertEquals((await runHere(["outbox", "-h"], {})).code, 0);
  const task = await runTask(["start", "--help"], { PORT: "wrong" });
  assertEquals([task.code, task.err], [0, ""]);
  match(task.out, /^Builds the scripts/);
  const words = await runHere(["search", "--", "--help"], {});
  match(words.err, /^Set OPENAI_API_KEY/);
});

Deno.test("Without a command the program starts the server", async () => {
  const wrong = await runHere(["--nonsense"], {});
  assertEquals(wrong.code, 2);
  match(wrong.err, /Usage: deno task start \[--sample\]$/);
  const folder = await Deno.makeTempDir();
  const port = String(findFreePort());
  const server = startCommand([], { DATA_DIR: folder, HOST: "127.0.0.1", PORT: port });
  await waitFor("the server", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    await response?.body?.cancel();
    return response?.status === 200;
  }, 120_000);
  const address = `"address":"127.0.0.1:${port}"`;
  await waitFor("the log", () => server.output().includes(address));
  match(server.output(), /"migrations":"\d+ migrations?","names":"0042_baseline\.sql/);
  server.kill("SIGTERM");
  assertEquals(await server.ended, 0);
  await Deno.remove(folder, { recursive: true });
});

testOnDatabases("An empty roadmap says what to do about it", async (database) => {
  const advice = /deno task import FILE-OR-URL.*deno task start --sample/s;
  const ready = { ready: true, database: "ok", migrations: "ok", roadmap: "ok" };
  {
    await using app = await startApp(database);
    match(await (await app.fetch("/")).text(), advice);
    const { hint, ...others } = await readReady(app);
    assertEquals(others, ready);
    match(hint, /^The roadmap is empty: import one with `deno task import FILE-OR-URL`/);
  }
  {
    await using app = await startApp(database, { ROADMAP_SOURCE: "nowhere.json" });
    const { hint, roadmap } = await readReady(app);
    assertEquals(roadmap, "never imported");
    match(
      hint,
      /^The roadmap is empty: no source has been imported yet\. See `deno task imports`/,
    );
    assert(!/ROADMAP_SOURCE|--sample/.test(hint));
    const page = await (await app.fetch("/")).text();
    assert(!/ROADMAP_SOURCE|--sample/.test(page));
  }
  await importItems(database, [makeItem(1)]);
  await using app = await startApp(database);
  assertEquals(await readReady(app), ready);
  const nothing = await (await app.fetch("/?q=nowhere")).text();
  match(nothing, /No releases found/);
  assert(!advice.test(nothing));
});

function readReady(app: TestApp) {
  return readHealth(async () => await (await app.fetch("/ready")).json());
}

testOnDatabases("The sample is loaded once, even by concurrent calls", async (database) => {
  const counts = await Promise.all([loadSample(database, TODAY), loadSample(database, TODAY)]);
  assertEquals(counts.sort((a, b) => a - b), [0, 100]);
  assertEquals(await loadSample(database, TODAY), 0);
});

Deno.test({
  name: "A PostgreSQL gets the sample only with --sample; otherwise the log says what to do",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url, drop } = await createScratchDatabase();
    const start = async (words: string[]) => {
      const port = String(findFreePort());
      const settings = { DATABASE_URL: url, HOST: "127.0.0.1", PORT: port };
      const server = startCommand(["serve", ...words], settings);
      await waitFor(
        "the server",
        () => Promise.resolve(server.output().includes("Serving")),
        60_000,
      );
      const { pagination } = await (await fetch(`http://127.0.0.1:${port}/api/releases`)).json();
      server.kill("SIGTERM");
      await server.ended;
      return { items: pagination.total_items, output: server.output() };
    };
    const without = await start([]);
    assertEquals(without.items, 0);
    match(without.output, /"level":"WARN".*The roadmap is empty: import one with/);
    const withSample = await start(["--sample"]);
    assert(withSample.items > 50);
    match(withSample.output, /Loaded the sample roadmap \(100 items\)/);
    await drop();
  },
});
