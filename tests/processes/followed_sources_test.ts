import { deepStrictEqual as assertEquals, doesNotMatch, match } from "node:assert/strict";
import { join } from "node:path";
import { makeItem } from "../support/app.ts";
import { copyMigrated } from "../support/databases.ts";
import { readFabric, serveFabricRoadmap } from "../support/subjects/fabric_roadmap.ts";
import { withFolder } from "../support/folder.ts";
import { startServerByTask } from "../support/server.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { readHealth } from "../support/wait_for.ts";

const PROJECT = new URL("../../", import.meta.url);
/** The servers of the example, which a test cannot reach. */
const HOSTS = ["https://roadmap.fabric.microsoft.com", "https://www.microsoft.com"] as const;

/** The Microsoft 365 roadmap, version 2, in pages of two items, whose links name another host. */
async function serveM365() {
  const text = await Deno.readTextFile(new URL("tests/fixtures/m365.v2.json", PROJECT));
  const [item] = JSON.parse(text).value;
  const products = ["Microsoft Teams", "Word", "PowerPoint"];
  const items = products.map((product, at) => ({
    ...item,
    id: item.id + at,
    title: `${product}: Feature ${at}`,
    products: [product],
  }));
  return serveSource((_request, { searchParams }) => {
    const skip = Number(searchParams.get("$skip") ?? 0);
    return Response.json({
      "@odata.count": items.length,
      value: items.slice(skip, skip + 2),
      ...skip === 0 && { "@odata.nextLink": "https://relcomms.example/api/v2/m365?$skip=2" },
    });
  });
}

Deno.test("The example follows Fabric and Microsoft 365 together", async () => {
  const docs = await Deno.readTextFile(new URL("docs/sources.md", PROJECT));
  const example = /^```json\n(.*?)^```/ms.exec(docs)![1]!;
  await using fabric = await serveFabricRoadmap({ document: await readFabric("broken.txt") });
  await using m365 = await serveM365();
  await withFolder(async (folder) => {
    const servers = [fabric.url, m365.url];
    const config = HOSTS.reduce((text, host, at) => text.replace(host, servers[at]!), example);
    const settings = {
      DATA_DIR: join(folder, "data"),
      ROADMAP_CONFIG: join(folder, "sources.json"),
    };
    await Deno.writeTextFile(settings.ROADMAP_CONFIG, config);
    await copyMigrated(settings.DATA_DIR);
    await using server = await startServerByTask(settings);
    const get = async (path: string) => await (await fetch(server.url + path)).json();
    const { sources } = await readHealth(() => get("/health"));
    assertEquals(
      sources.map((
        { name, last_import }: { name: string; last_import: Record<string, unknown> },
      ) => [name, last_import.added, last_import.error]),
      [["Fabric", 16, null], ["Microsoft 365", 3, null]],
    );
    assertEquals((await get("/api/filter-options")).sources, ["Fabric", "Microsoft 365"]);
    for (const product of ["Word", "PowerPoint", "Microsoft Teams"]) {
      const { data } = await get(`/api/releases?product_name=${encodeURIComponent(product)}`);
      assertEquals(data.length, 1, product);
    }
    assertEquals((await get("/api/releases?source=Fabric")).pagination.total_items, 16);
    assertEquals(fabric.asked.length, 15); // the page, and a document of each family
    assertEquals(m365.asked.length, 2);
  });
});

Deno.test("A scheduled import sends a secret of the environment without exposing it", async () => {
  const secret = "Bearer sesame-of-the-tracker";
  await using source = serveSource((request) =>
    request.headers.get("authorization") === secret && request.headers.get("x-team") === "ours"
      ? Response.json([makeItem(1)])
      : new Response(null, { status: 401 })
  );
  await withFolder(async (folder) => {
    const ROADMAP_CONFIG = join(folder, "sources.json");
    const headers = { Authorization: "env:TRACKER_TOKEN", "X-Team": "ours" };
    const tracker = { name: "Tracker", from: `${source.url}/items`, headers };
    const other = { ...tracker, name: "Other", headers: { "X-Key": "env:UNSET_TOKEN" } };
    await Deno.writeTextFile(ROADMAP_CONFIG, JSON.stringify({ sources: [tracker, other] }));
    const DATA_DIR = join(folder, "data");
    await copyMigrated(DATA_DIR);
    await using server = await startServerByTask({
      DATA_DIR,
      ROADMAP_CONFIG,
      TRACKER_TOKEN: secret,
    });
    const read = async (path: string) => await (await fetch(server.url + path)).text();
    const { data } = JSON.parse(await read("/api/releases"));
    assertEquals(data.map(({ feature_name }: { feature_name: string }) => feature_name), [
      "Feature 1",
    ]);
    assertEquals(source.asked, ["/items 200"]);
    match(server.output(), /UNSET_TOKEN, for its header X-Key, is not set/);
    const shown = server.output() + await read("/health") + await read("/ready") +
      await read("/metrics");
    doesNotMatch(shown, /sesame/);
  });
});
