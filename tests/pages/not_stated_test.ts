import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { ROUTES } from "../../routes/table.ts";
import { importItems, TODAY } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { startDigests } from "../support/subjects/digests.ts";
import { toolRequest } from "../support/subjects/tool_request.ts";

const HEAD = "Key,Title,Product,Status,Due,Description\n";
const PLAIN = "A-1,Dark mode,Widgets,,Q4 2026,Dims\nA-2,Light mode,Widgets,,,\n";
const GONE = "A-3,Gone mode,Widgets,Planned,2026-08-01,\nA-5,Old mode,Widgets,,2026-08-01,\n";

/** Data for programs: a stand-in is the value of its field there. */
const DATA = /^\/(?:api|search\.json|.*\.csv|openapi\.json|metrics|assets\/|admin)/;

testOnDatabases("Nobody reads that something is not stated", async (database) => {
  await using services = await startDigests(database);
  const { app } = services;
  const read = (rows: string) =>
    importItems(database, HEAD + rows, { kind: "csv", allowMassRemoval: true });
  await read(PLAIN + GONE);
  await services.verify("ann@example.com");
  await read(PLAIN.replace("Q4 2026", "Q1 2027") + "A-4,New mode,Widgets,Planned,,\n");
  await read(
    PLAIN.replace("Q4 2026", "Q1 2027") +
      "A-4,New mode,Widgets,,,\nA-6,Live mode,Widgets,Shipped,,\n",
  );
  const { data } = await app.json("/roadmap/api/releases?include_inactive=true");
  assertEquals(data.length, 6);
  const [{ release_item_id: id }] = data;
  const texts = new Map<string, string>();
  for (const route of ROUTES) {
    if (!("read" in route) || DATA.test(route.path)) continue;
    const path = route.path.replace(/:markdown_file.*/, `${id}.md`).replace(
      /:release_item_id[^/]*/,
      id,
    ).replace(/:day[^/]*/, TODAY);
    if (path.includes(":")) continue;
    const queries = path === "/"
      ? ["", "?view=board", "?view=board&group=status", "?q=mode", "?include_inactive=true"]
      : path === "/copy"
      ? ["?", "?of=changelog", `?of=release&release_item_id=${id}`]
      : [""];
    for (const query of queries) {
      const response = await app.fetch(`/roadmap${path}${query}`);
      const text = await response.text();
      // The list stands once more in the page for its script, and a choice sends the stand-in.
      const data = /<script.*?<\/script>|value="Not stated"/gs;
      texts.set(path + query, text.replace(data, ""));
    }
  }
  for (const { release_item_id } of data) {
    texts.set(
      release_item_id,
      await (await app.fetch(`/roadmap/release/${release_item_id}`)).text(),
    );
  }
  const tools = [["search_releases", { query: "mode" }], ["get_release", { release_item_id: id }]];
  for (const [name, parameters] of tools as [string, object][]) {
    const answer = await (await app.fetch("/roadmap/mcp", toolRequest(name, parameters))).text();
    const { result } = JSON.parse(/\{.*\}/s.exec(answer)![0]);
    texts.set(name, result.content[0].text);
  }
  const [mail] = await services.digest();
  texts.set("the email", `${mail!.subject}${mail!.text}${mail!.html}`);
  const found = [...texts].flatMap(([name, text]) => {
    const [said] = /.{0,80}Not stated.{0,40}/i.exec(text) ?? [];
    return said === undefined ? [] : [[name, said]];
  });
  assertEquals(found, []);
  assert(texts.size > 30);
});
