import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { VARIABLE_NAMES } from "../../lib/config/environment.ts";
import { openPostgres } from "../../lib/database/postgres/postgres.ts";
import { sql } from "../../lib/database/sql.ts";
import { type Running, runTask, startMain } from "../support/command.ts";
import {
  copyMigrated,
  copyStarted,
  createScratchDatabase,
  TEST_DATABASE_URL,
} from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { copyProject } from "../support/project_copy.ts";
import { findFreePort } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { waitFor } from "../support/wait_for.ts";

const TOKEN = "an-admin-token-of-31-characters";
const FIXTURE = new URL("../fixtures/fabric.json", import.meta.url).pathname;
/** Neither writing nor running anything is allowed. */
const READ_ONLY = ["--allow-net", "--allow-read", "--allow-env"];

/** Waits until main.ts, started by a host, responds; returns the server and its address. */
async function start(flags: string[], settings: Record<string, string>, project?: URL) {
  const port = String(findFreePort());
  const server = startMain(flags, { HOST: "127.0.0.1", PORT: port, ...settings }, project);
  const url = `http://127.0.0.1:${port}`;
  let code: number | null = null;
  server.ended.then((ended) => code = ended);
  await waitFor("the server", async () => {
    if (code !== null) throw new Error(server.output());
    const response = await fetch(`${url}/health`).catch(() => null);
    await response?.body?.cancel();
    return response?.status === 200;
  }, 120_000);
  return { server, url };
}

async function stop(server: Running): Promise<void> {
  server.kill("SIGINT");
  assertEquals([await server.ended, server.output().includes("Not everything")], [0, false]);
}

async function countItems(url: string): Promise<number> {
  return (await (await fetch(`${url}/api/releases`)).json()).pagination.total_items;
}

Deno.test({
  name:
    "Deno Deploy: a start waits for no source, writes nothing, and imports on demand (PostgreSQL)",
  ignore: TEST_DATABASE_URL === null,
  async fn() {
    const { url: databaseUrl, drop } = await createScratchDatabase();
    await using silent = serveSource(() => new Promise(() => {}));
    const settings = { DENO_DEPLOY: "true", DATABASE_URL: databaseUrl, ADMIN_TOKEN: TOKEN };
    {
      const source = { ROADMAP_SOURCE: silent.url };
      const { server, url } = await start(READ_ONLY, { ...settings, ...source });
      assertEquals(await countItems(url), 0);
      await stop(server);
      assertEquals(silent.asked, []);
      const database = await openPostgres(databaseUrl);
      assertEquals(await database.query(sql`select name from schedules`), []);
      await database.close();
    }
    const { server, url } = await start(READ_ONLY, { ...settings, ROADMAP_SOURCE: FIXTURE });
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${url}/api/work`, { method: "POST", headers });
    assertEquals((await response.json()).imports, { imported: 1, failed: 0 });
    assertEquals(await countItems(url), 2);
    await stop(server);
    await drop();
  },
});

Deno.test("Where Deno.cron exists, it runs due work and keeps no process alive", async () => {
  await withFolder(async (folder) => {
    await copyMigrated(folder);
    const { server, url } = await start(["--unstable-cron", "--allow-all"], {
      DATA_DIR: folder,
      BACKGROUND_JOBS: "off",
      ROADMAP_SOURCE: FIXTURE,
    });
    // The next minute begins within 60 s.
    await waitFor("the import", async () => await countItems(url) === 2, 120_000);
    await stop(server);
  });
});

Deno.test("Without background jobs and schedulers nothing is imported", async () => {
  await withFolder(async (folder) => {
    const settings = { DATA_DIR: folder, BACKGROUND_JOBS: "off", ROADMAP_SOURCE: FIXTURE };
    await copyMigrated(folder);
    const { server, url } = await start(["--allow-all"], settings);
    assertEquals(await countItems(url), 0);
    await stop(server);
  });
});

Deno.test("A permission or setting that a host lacks is reported in one line", async () => {
  const fail = async (flags: string[], settings: Record<string, string>, status = 78) => {
    const { code, out, err } = await startMain(flags, settings).ending;
    assertEquals([code, out], [status, ""]);
    return err;
  };
  assertEquals(
    await fail(READ_ONLY, { DENO_DEPLOY: "true" }),
    "DATABASE_URL is required on Deno Deploy, where files do not persist: assign a PostgreSQL to the app",
  );
  assertEquals(
    await fail(["--allow-net", "--allow-read"], {}),
    "This process is not allowed to read its settings: start it with --allow-env, or by `deno task`",
  );
  const settings = `--allow-env=${VARIABLE_NAMES.join(",")}`;
  match(
    await fail(["--allow-net", "--allow-read", settings], {
      DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
    }, 1),
    /^This process may not read the variables PG\* .*--allow-env, or with --ignore-env beside .*$/,
  );
});

Deno.test("A missing or unwritable build is reported, and pages work without it", async () => {
  await using project = await copyProject();
  await Deno.writeTextFile(new URL("dist", project.url), "in place of the folder");
  const build = await runTask(["build"], {}, project.url);
  assertEquals([build.code, build.out], [1, ""]);
  match(build.err, /^Cannot write dist\/scripts\.json: .*\. Run `deno task build` where .*$/);
  await Deno.remove(new URL("dist", project.url));
  await withFolder(async (folder) => {
    const settings = { DATA_DIR: folder, BACKGROUND_JOBS: "off" };
    await copyStarted(folder);
    const { server, url } = await start(["--allow-all"], settings, project.url);
    match(server.output(), /"WARN".*The scripts of the pages are not built/);
    const page = await fetch(url);
    assertEquals([page.status, (await page.text()).includes("<script type=")], [200, false]);
    await stop(server);
  });
});
