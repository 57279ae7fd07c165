import { deepStrictEqual as assertEquals } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { makeItem } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { withFolder } from "../support/folder.ts";
import { findFreePort } from "../support/server.ts";
import { startWebhooks } from "../support/subjects/webhooks.ts";
import { waitFor } from "../support/wait_for.ts";

const PROJECT = new URL("../../", import.meta.url);

testOnDatabases(
  "The receiver of docs/webhooks.md accepts signed messages, once",
  (database) =>
    withFolder(async (folder) => {
      const page = await Deno.readTextFile(new URL("docs/webhooks.md", PROJECT));
      const [, script] = /```js\n(\/\/ receiver\.mjs\n.*?)```/s.exec(page)!;
      await Deno.writeTextFile(`${folder}/receiver.mjs`, script!);
      const port = findFreePort();
      const url = `http://127.0.0.1:${port}/`;
      await using webhooks = startWebhooks(database, { start: Date.now() });
      const { secret } = await webhooks.add(url, { name: "signed" });
      const receiver = new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--quiet", "--allow-net", "--allow-env"],
          `--config=${fileURLToPath(new URL("deno.json", PROJECT))}`,
          `${folder}/receiver.mjs`,
        ],
        env: { WEBHOOK_SECRET: secret!, PORT: String(port) },
        stdout: "piped",
      }).spawn();
      try {
        await waitFor("the receiver", () =>
          fetch(url, { method: "POST", body: "{}" }).then(async (response) => {
            await response.body?.cancel();
            return response.status === 400; // it is not signed
          }, () =>
            false));
        await webhooks.add(url, { name: "signed otherwise" });
        await webhooks.import([makeItem(1)]);
        await webhooks.send();
        const found = (await webhooks.deliveries()).map(({ name, status, last_error }) =>
          `${name}: ${status} ${last_error}`
        );
        assertEquals(found.toSorted(), [
          "signed otherwise: waiting It answered 400 Bad Request",
          "signed: sent null",
        ]);
      } finally {
        receiver.kill();
      }
      const { stdout } = await receiver.output();
      const said = new TextDecoder().decode(stdout);
      assertEquals(said, "added 00000000-0000-4000-8000-000000000001\n");
    }),
);
