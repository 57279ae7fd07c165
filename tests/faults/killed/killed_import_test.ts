import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Database } from "../../../lib/database/database.ts";
import { sql } from "../../../lib/database/sql.ts";
import { inDatabase, testOnOwnDatabases } from "../../support/fault_databases.ts";
import { makeItem } from "../../support/app.ts";
import { makeSnapshot } from "../../support/subjects/many_items.ts";
import { startServer } from "../../support/server.ts";
import { runHere, type Running, startCommand } from "../../support/command.ts";
import { waitFor } from "../../support/wait_for.ts";
import { serveSource } from "../../support/servers/source_server.ts";

const BEFORE = makeSnapshot(500);
/** The first 100 items are gone, the next 400 have changed, and the others are new. */
const AFTER = JSON.stringify(
  JSON.parse(makeSnapshot(1_500, { release_status: "Shipped" })).slice(100),
);

/** One more change, so that an import deletes what others have left. */
const LATER = AFTER.replace("Feature 1500", "Feature 1500 and more");
/** How many rows the snapshot after has to prepare: changed, added and removed items. */
const PREPARED = 1_500;

for (const victim of ["command", "server"] as const) {
  testOnOwnDatabases(
    `A ${victim} that is killed during an import leaves the data before or after it, and no rows`,
    async (settings) => {
      const folder = await Deno.makeTempDir();
      const file = `${folder}/snapshot.json`;
      await Deno.writeTextFile(file, BEFORE);
      assertEquals((await runHere(["import", file], settings)).code, 0);
      await Deno.writeTextFile(file, AFTER);
      let server = await startServer(settings);
      const killDuring = async (
        location: string,
        untilThen: (importing: Running) => Promise<void>,
      ) => {
        const importing = startCommand(["import", location], settings);
        await untilThen(importing);
        (victim === "server" ? server : importing).kill("SIGKILL");
        if (victim === "server") server = await startServer(settings);
        importing.kill("SIGKILL");
        await importing.ended;
        return await untilState(server.url);
      };
      const sent = Promise.withResolvers<void>();
      await using source = serveSource(() => sendHalf(sent.resolve));
      assertEquals(await killDuring(source.url, () => sent.promise), "before");
      for (const rows of [1, PREPARED / 2, PREPARED]) {
        const found = await killDuring(
          file,
          (importing) => untilPrepared(settings, importing, rows),
        );
        if (found === "after") break;
      }
      for (const snapshot of [AFTER, LATER]) {
        await Deno.writeTextFile(file, snapshot);
        const again = await runHere(["import", file], settings);
        assertEquals([again.code, again.err], [0, ""]);
      }
      assertEquals(await untilState(server.url), "after");
      await server[Symbol.asyncDispose]();
      assertEquals(await inDatabase(settings, countLeft), 0);
      await Deno.remove(folder, { recursive: true });
    },
  );
}

/** Waits until an import has prepared so many items, or has ended. */
async function untilPrepared(
  settings: Record<string, string>,
  importing: Running,
  rows: number,
): Promise<void> {
  let hasEnded = false;
  importing.ended.then(() => hasEnded = true);
  await inDatabase(settings, (database) =>
    waitFor(`${rows} prepared items`, async () => {
      const [{ count }] = await database.query<{ count: number }>(
        sql`select count(*)::int as count from prepared_items`,
      ) as [{ count: number }];
      return hasEnded || count >= rows;
    }, 60_000));
}

/** How many prepared rows there are, and texts that no item has. */
async function countLeft(database: Database): Promise<number> {
  const [{ count }] = await database.query<{ count: number }>(sql`
    select (
      (select count(*) from prepared_items) + (select count(*) from prepared_changes)
      + (select count(*) from prepared_entries) + (select count(*) from prepared_words)
      + (select count(*) from item_texts where text_id not in (select text_id from item_rows union select text_id from item_versions))
    )::int as count
  `) as [{ count: number }];
  return count;
}

/** Sends half of the snapshot, and never ends. */
function sendHalf(onSent: () => void): Response {
  const bytes = new TextEncoder().encode(AFTER);
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, bytes.length / 2));
        onSent();
      },
    }),
  );
}

/** Waits for the end of what was killed, and tells whether it is stored. */
async function untilState(url: string): Promise<"before" | "after"> {
  let state: "before" | "after" | null = null;
  await waitFor("the state before or after the import", async () => {
    state = await findState(url);
    return state !== null;
  });
  return state!;
}

/** Whether roadmap and history are both from before or both from after the import; null: neither. */
async function findState(url: string): Promise<"before" | "after" | null> {
  const count = async (status: string) => {
    const response = await fetch(`${url}/api/releases?release_status=${status}`);
    return (await response.json()).pagination.total_items as number;
  };
  const tell = async (number: number) => {
    const { release_item_id } = makeItem(number);
    const response = await fetch(`${url}/api/releases/history/${release_item_id}`);
    const history = await response.json() as { changed_columns: string }[];
    return history.map(({ changed_columns }) => changed_columns);
  };
  const found = {
    planned: await count("Planned"),
    shipped: await count("Shipped"),
    gone: await tell(1),
    changed: await tell(500),
  };
  const states = { before: STATE_BEFORE, after: STATE_AFTER };
  for (const [name, state] of Object.entries(states)) {
    if (isDeepStrictEqual(found, state)) return name as "before" | "after";
  }
  return null;
}

const ADDED = "Roadmap Item Added";
const STATE_BEFORE = { planned: 500, shipped: 0, gone: [ADDED], changed: [ADDED] };
const STATE_AFTER = {
  planned: 0,
  shipped: 1_400,
  gone: ["Removed from Roadmap", ADDED],
  changed: ["Release Status Planned -> Shipped", ADDED],
};
