import { match } from "node:assert/strict";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { recordLog } from "../support/log.ts";
import { ADMIN_TOKEN } from "../support/subjects/operator.ts";

testOnDatabases("A notification to a hub that never responds times out", async (database) => {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  await importItems(database, [makeItem(1)], { asOf: "2026-07-01" });
  await using app = await startApp(database, {
    ADMIN_TOKEN,
    WEBSUB_HUB: `http://127.0.0.1:${listener.addr.port}/`,
  });
  const runJobs = async () => {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    await (await app.fetch("/api/work", { method: "POST", headers })).body?.cancel();
  };
  await runJobs();
  await importItems(database, [makeItem(1, { release_status: "Shipped" })], { asOf: "2026-07-02" });
  await using log = await recordLog();
  await runJobs();
  match(log.lines.join("\n"), /Cannot notify websub of changes.*did not answer within 10 s/);
});
