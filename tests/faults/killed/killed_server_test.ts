import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { join } from "node:path";
import { makeItem } from "../../support/app.ts";
import { runHere, startCommand } from "../../support/command.ts";
import { copyStarted } from "../../support/databases.ts";
import { startServer } from "../../support/server.ts";
import { serveSource } from "../../support/servers/source_server.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("A killed server blocks no command and no new server", async () => {
  const folder = await Deno.makeTempDir();
  const settings = { DATA_DIR: join(folder, "data") };
  const socket = join(settings.DATA_DIR, "server", ".s.PGSQL.5432");
  const file = join(folder, "roadmap.json");
  await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
  await copyStarted(settings.DATA_DIR);
  {
    await using server = await startServer(settings);
    server.kill("SIGKILL");
    await server.ended;
  }
  assertEquals((await Deno.lstat(socket)).isSocket, true);
  const alone = await runHere(["import", file], settings);
  assertEquals([alone.code, alone.err], [0, ""]);
  await using again = await startServer(settings);
  const { code, err } = await runHere(["imports"], settings);
  assertEquals([code, err], [0, ""]);

  // Killed while a command uses it: the command prints one line and exits with status 1.
  await using source = serveSource(() =>
    new Response(ReadableStream.from(async function* () {
      yield new TextEncoder().encode(`[${JSON.stringify(makeItem(2))},`);
      again.kill("SIGKILL");
      await again.ended;
      yield new TextEncoder().encode(`${JSON.stringify(makeItem(3))}]`);
    }()))
  );
  const importing = startCommand(["import", source.url], settings);
  const ending = await importing.ending;
  assertEquals([ending.code, ending.out], [1, ""]);
  match(
    ending.err,
    /^The server that had the database in .* open stopped or closed this connection$/,
  );
  const [last] = (await runHere(["imports", "--limit", "1"], settings)).out.split("\n");
  match(last!, /not finished/);
  await waitFor("the folder to be free", async () => {
    await using server = await startServer(settings);
    const { pagination } = await (await fetch(`${server.url}/api/releases`)).json();
    return pagination.total_items === 1;
  });
  await Deno.remove(folder, { recursive: true });
});
