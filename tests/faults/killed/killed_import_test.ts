import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { testOnOwnDatabases } from "../../support/fault_databases.ts";
import { makeItem } from "../../support/app.ts";
import { makeSnapshot } from "../../support/subjects/many_items.ts";
import { startServer } from "../../support/server.ts";
import { startCommand as runCommand } from "../../support/command.ts";
import { serveSource } from "../../support/servers/source_server.ts";

const BEFORE = makeSnapshot(500);
/** The first 100 items are gone, the next 400 have changed, and the others are new. */
const AFTER = JSON.stringify(
  JSON.parse(makeSnapshot(3_000, { release_status: "Shipped" })).slice(100),
);

testOnOwnDatabases(
  "A killed import leaves the data unchanged, and can be repeated",
  async (settings) => {
    const file = await Deno.makeTempFile({ suffix: ".json" });
    await Deno.writeTextFile(file, BEFORE);
    assertEquals(await runCommand(["import", file], settings).ended, 0);
    assertEquals(await killWhileImporting(settings, 0.5, 100), "before");
    let found = "before";
    for (let milliseconds = 50; found === "before"; milliseconds *= 2) {
      found = await killWhileImporting(settings, 1, milliseconds);
    }
    await Deno.writeTextFile(file, AFTER);
    const again = runCommand(["import", file], settings);
    assertEquals(await again.ended, 0, again.output());
    assertEquals(await findState(settings), "after");
    await Deno.remove(file);
  },
);

/** Kills an import this long after it got a share of the snapshot, and returns what it left. */
async function killWhileImporting(
  settings: Record<string, string>,
  share: number,
  milliseconds: number,
): Promise<"before" | "after"> {
  const sent = Promise.withResolvers<void>();
  await using source = serveSource(() => sendUpTo(share, sent.resolve));
  const importing = runCommand(["import", source.url], settings);
  await sent.promise;
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  importing.kill("SIGKILL");
  await importing.ended;
  return await findState(settings);
}

/** Sends a share of the snapshot; a response with less than the whole never ends. */
function sendUpTo(share: number, onSent: () => void): Response {
  const bytes = new TextEncoder().encode(AFTER);
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, bytes.length * share));
        if (share === 1) controller.close();
        onSent();
      },
    }),
  );
}

/** Whether roadmap and history are both from before or both from after the import. */
async function findState(settings: Record<string, string>): Promise<"before" | "after"> {
  await using server = await startServer(settings);
  const count = async (status: string) => {
    const response = await fetch(`${server.url}/api/releases?release_status=${status}`);
    return (await response.json()).pagination.total_items as number;
  };
  const tell = async (number: number) => {
    const response = await fetch(
      `${server.url}/api/releases/history/${makeItem(number).release_item_id}`,
    );
    const history = await response.json() as { changed_columns: string }[];
    return history.map(({ changed_columns }) => changed_columns);
  };
  const found = {
    planned: await count("Planned"),
    shipped: await count("Shipped"),
    gone: await tell(1),
    changed: await tell(500),
  };
  const added = "Roadmap Item Added";
  if (found.planned === 500) {
    assertEquals(found, { planned: 500, shipped: 0, gone: [added], changed: [added] });
    return "before";
  }
  assertEquals(found, {
    planned: 0,
    shipped: 2_900,
    gone: ["Removed from Roadmap", added],
    changed: ["Release Status Planned -> Shipped", added],
  });
  return "after";
}
