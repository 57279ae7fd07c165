import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { runCommand } from "../support/command.ts";
import { copyMigrated } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { makeItem } from "../support/app.ts";
import { serveSource } from "../support/servers/source_server.ts";

Deno.test("All pages of a source go through the proxy of the environment", async () => {
  // It answers for every server, as a proxy is asked.
  await using proxy = serveSource((_, { searchParams }) =>
    Response.json(
      searchParams.has("page")
        ? { data: [makeItem(2)] }
        : { data: [makeItem(1)], links: { next: "?page=2" } },
    )
  );
  await withFolder(async (folder) => {
    const settings = { DATA_DIR: `${folder}/data`, HTTP_PROXY: proxy.url };
    await copyMigrated(settings.DATA_DIR);
    // A public address, so the machine itself could try to reach it.
    for (const host of ["9.9.9.9", "plans.example.invalid"]) {
      const words = ["import", `http://${host}/plans.json`, "--allow-mass-removal"];
      const { code, err } = await runCommand(words, settings);
      assertEquals([host, code, err], [host, 0, ""]);
    }
    assertEquals(proxy.asked.map((asked) => asked.replace(/^.*\/plans/, "/plans")), [
      "/plans.json 200",
      "/plans.json?page=2 200",
      "/plans.json 200",
      "/plans.json?page=2 200",
    ]);
  });
});

Deno.test("A webhook that needs a proxy says that none is used", async () => {
  await withFolder(async (folder) => {
    const settings = { DATA_DIR: `${folder}/data`, HTTPS_PROXY: "http://127.0.0.1:1" };
    await copyMigrated(settings.DATA_DIR);
    const add = (more = {}) =>
      runCommand(["webhooks", "add", "https://hooks.example.invalid/x"], { ...settings, ...more });
    const hint =
      /; HTTPS_PROXY is set, but this request does not go through a proxy \(docs\/install/;
    match((await add()).err, hint);
    assertEquals(hint.test((await add({ NO_PROXY: "example.invalid" })).err), false);
  });
});
