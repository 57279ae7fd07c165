import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { join } from "node:path";
import { sql } from "../../../lib/database/sql.ts";
import { makeItem } from "../../support/app.ts";
import { runHere } from "../../support/command.ts";
import { inDatabase, testOnOwnDatabases } from "../../support/fault_databases.ts";
import { withFolder } from "../../support/folder.ts";

import { startServer } from "../../support/server.ts";
import { startReceiver } from "../../support/subjects/webhooks.ts";
import { waitFor } from "../../support/wait_for.ts";
import { expireLeases } from "../../support/subjects/clock.ts";

testOnOwnDatabases(
  "A process killed while sending webhooks duplicates each at most once, and loses none",
  (database) =>
    withFolder(async (folder) => {
      let isHeld = true;
      await using receiver = startReceiver(({ path }) =>
        // The receiver has the delivery, and the sender gets no response.
        path === "/0" && isHeld ? new Promise(() => {}) : new Response(null, { status: 200 })
      );
      const settings = {
        ...database,
        WEBHOOK_ALLOW_PRIVATE: "true",
        BASE_URL: "http://roadmap.example",
      };
      const file = join(folder, "roadmap.json");
      await Deno.writeTextFile(file, JSON.stringify([makeItem(1)]));
      const copies = (path: string) => receiver.received.filter((one) => one.path === path).length;
      {
        await using server = await startServer(settings);
        for (const name of ["0", "1", "2"]) {
          const added = await runHere(
            ["webhooks", "add", `${receiver.url}/${name}`, "--name", name],
            settings,
          );
          assertEquals(added.code, 0);
        }
        assertEquals((await runHere(["import", file, "--announce"], settings)).code, 0);
        await waitFor("the first copy", () => copies("/0") === 1);
        server.kill("SIGKILL");
        await server.ended;
      }
      isHeld = false;
      // The dead process still holds its lease, which expires after two minutes.
      await inDatabase(settings, expireLeases);
      {
        await using server = await startServer(settings);
        await waitFor("the second copy", () => copies("/0") === 2);
        await waitFor("the others", () => copies("/1") > 0 && copies("/2") > 0);
        server.kill("SIGTERM");
        assertEquals(await server.ended, 0, server.output());
      }
      const states = await inDatabase(
        settings,
        (database) =>
          database.query<{ name: string; status: string; attempts: number }>(sql`
        select name, status, attempts from outbox join webhooks using (webhook_id) order by name
      `),
      );
      assertEquals(states.map(({ name, status }) => [name, status]), [
        ["0", "sent"],
        ["1", "sent"],
        ["2", "sent"],
      ]);
      for (const { name, attempts } of states) {
        const told = copies(`/${name}`);
        assertEquals(told >= 1 && told <= attempts && told <= 2, true, `${name}: ${told}`);
      }
      const ids = receiver.received.filter(({ path }) => path === "/0")
        .map(({ headers, body }) => [headers["webhook-id"], body]);
      assertEquals(ids[0], ids[1], "a receiver can tell the second copy");
    }),
);
