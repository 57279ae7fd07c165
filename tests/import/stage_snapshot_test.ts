import { rejects } from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Connection } from "../../lib/database/database.ts";
import { ItemReader } from "../../lib/import/item_reader.ts";
import { stage } from "../../lib/import/stage_snapshot.ts";
import { makeItem } from "../support/app.ts";

const BATCH = 1_000;

Deno.test("A failure while the next batch is read fails the import, but not the process", async () => {
  const refused = Promise.withResolvers<void>();
  const connection: Connection = {
    query() {
      refused.resolve();
      return Promise.reject(new Error("no space left on device"));
    },
    script: () => Promise.resolve(),
  };
  const reader = new ItemReader({});
  const items = Array.from({ length: 2 * BATCH }, (_, number) => makeItem(number));
  async function* readSlowly() {
    yield* reader.read({ items: items.slice(0, BATCH) });
    await refused.promise;
    await setImmediate();
    yield* reader.read({ items: items.slice(BATCH) });
  }
  const options = { reader, shown: "roadmap.json", asOf: "2026-07-20" };
  await rejects(stage(connection, 1, readSlowly(), options), /no space left on device/);
});
