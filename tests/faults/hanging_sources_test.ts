import { match, ok as assert } from "node:assert/strict";
import { startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { ADMIN_TOKEN, startOperator } from "../support/subjects/operator.ts";
import { waitFor } from "../support/wait_for.ts";

/** Many more than are tried at once. */
const HANGING = 40;

testOnDatabases("The overview answers while many sources hang, four at once", async (database) => {
  await withFolder(async (folder) => {
    const released = Promise.withResolvers<void>();
    let [open, most] = [0, 0];
    await using server = serveSource(async ({ method }) => {
      // The clock is compared by it.
      if (method === "HEAD") return new Response();
      most = Math.max(most, ++open);
      await released.promise;
      open -= 1;
      return new Response(null, { status: 404 });
    });
    using _ = { [Symbol.dispose]: () => released.resolve() };
    const sources = Array.from({ length: HANGING }, (_, index) => ({
      name: `hanging-${index + 1}`,
      from: `${server.url}/${index + 1}`,
      kind: "json",
    }));
    await Deno.writeTextFile(`${folder}/sources.json`, JSON.stringify({ sources }));
    await using app = await startApp(database, {
      ADMIN_TOKEN,
      ROADMAP_CONFIG: `${folder}/sources.json`,
    });
    const operator = await startOperator(app);
    // None of them answers until the end. A busy machine may refuse some requests with 503.
    let page = "";
    await waitFor("the checks", async () => {
      page = await (await operator.get("/admin")).text();
      return /<dt>sources<\/dt>/.test(page) && !/The checks are running/.test(page);
    }, 300_000);
    match(page, /<strong>sources<\/strong>: hanging-1: no complete response in time\./);
    match(page, /Not checked in time: hanging-5, hanging-6, hanging-7, 33 more\./);
    assert(most <= 4, `${most} at once`);
  });
});
