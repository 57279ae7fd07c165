import { deepStrictEqual as assertEquals, ok } from "node:assert/strict";
import { join } from "node:path";
import { importItems, makeItem, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";

const FILES = ["deploy/prometheus-rules.yaml", "deploy/grafana.json", "docs/operation.md"];

testOnDatabases("Alerts and dashboards use names that /metrics has", async (database) => {
  await withFolder(async (folder) => {
    const config = join(folder, "sources.json");
    const sources = ["Plans", "Ideas"].map((name) => ({ name, from: join(folder, `${name}.csv`) }));
    await Deno.writeTextFile(config, JSON.stringify({ sources }));
    await importItems(database, [makeItem(1)], { sourceName: "Plans" });
    await using app = await startApp(database, { ROADMAP_CONFIG: config });
    await (await app.fetch("/")).text();
    const metrics = await (await app.fetch("/metrics")).text();
    const known = new Set(
      [...metrics.matchAll(/^# TYPE (\S+) (\w+)/gm)].flatMap(([, name, type]) =>
        type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
      ),
    );
    for (const file of FILES) {
      const text = await Deno.readTextFile(new URL(`../../${file}`, import.meta.url));
      const used = [...new Set([...text.matchAll(/\broadcast_\w+/g)].map(([name]) => name))];
      ok(used.length > 3, file);
      assertEquals(used.filter((name) => !known.has(name)), [], file);
    }
  });
});
