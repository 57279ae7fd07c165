import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { readConfig } from "../../lib/config/config.ts";
import { importLocation } from "../../lib/import/import_snapshot.ts";
import { ConfiguredSources, importOptions } from "../../lib/import/sources/configured_sources.ts";
import { TODAY } from "../support/app.ts";
import { testOnOne } from "../support/databases.ts";
import { serveSource } from "../support/servers/source_server.ts";
import { CLIENT, startTokenServer } from "../support/servers/token_server.ts";
import { makeSpreadsheet } from "../support/subjects/spreadsheet.ts";

const RECIPES = await Deno.readTextFile(new URL("../../docs/recipes.md", import.meta.url));

testOnOne("An Excel file on SharePoint is read by Graph, as the recipe says", async (database) => {
  const [, recipe] = /^###? An Excel file on SharePoint.*?^```json\n(.*?)^```/ms.exec(RECIPES)!;
  const file = makeSpreadsheet({
    Plans: [["ID", "Title", "Product", "Status"], ["1", "Maps", "App", "Planned"]],
  });
  await using tokens = startTokenServer();
  const sent: (string | null)[] = [];
  // The storage behind Graph, which is signed in to by its address.
  await using storage = serveSource((request) => {
    sent.push(request.headers.get("authorization"));
    return new Response(new Uint8Array(file));
  });
  await using graph = serveSource((request) => {
    sent.push(request.headers.get("authorization"));
    return Response.redirect(`${storage.url}/download.aspx?tempauth=1`);
  });
  const config = await Deno.makeTempFile({ suffix: ".json" });
  const entry = recipe!.replace("https://graph.microsoft.com/v1.0", graph.url)
    .replace(/"token_url": "[^"]*"/, `"token_url": "${tokens.url}"`)
    .replace("CLIENT-ID", CLIENT.id);
  await Deno.writeTextFile(config, `{ "sources": [${entry}] }`);
  Deno.env.set("GRAPH_SECRET", CLIENT.secret);
  try {
    const settings = readConfig({ ROADMAP_CONFIG: config });
    const [source] = (await ConfiguredSources.read(settings)).current;
    const counts = await importLocation(database, source!.from, {
      ...await importOptions(settings, source!),
      asOf: TODAY,
      pausesMs: [],
      // The storage stands for a public server, to which redirects may lead.
      resolve: () => Promise.resolve([{ address: "8.8.8.8", family: 4 }]),
      fetchChecked: (url, { method, headers }) => fetch(url, { method, headers }),
    });
    assertEquals(counts.added, 1);
    assertEquals(sent, [`Bearer ${tokens.given[0]}`, null]);
    assertEquals(graph.asked, ["/sites/SITE-ID/drive/root:/Product/roadmap.xlsx:/content 302"]);
  } finally {
    Deno.env.delete("GRAPH_SECRET");
    await Deno.remove(config);
  }
});
