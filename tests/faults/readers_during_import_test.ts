import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { startCommand } from "../support/command.ts";
import { testOnOwnDatabases } from "../support/fault_databases.ts";
import { startServer } from "../support/server.ts";
import { makeSnapshot } from "../support/subjects/many_items.ts";

const COUNT = 2_000;
const READERS = 8;

testOnOwnDatabases(
  "Readers see the roadmap before or after an import, and none of them is refused",
  async (settings) => {
    const folder = await Deno.makeTempDir();
    const importing = async (release_status: string) => {
      const file = `${folder}/${release_status}.json`;
      await Deno.writeTextFile(file, makeSnapshot(COUNT, { release_status }));
      return startCommand(["import", file], settings);
    };
    assertEquals(await (await importing("Planned")).ended, 0);
    await using server = await startServer(settings);
    const command = await importing("Launched");
    let hasEnded = false;
    const ended = command.ended.finally(() => hasEnded = true);
    let asked = 0;
    const seen: string[] = [];
    const read = async (query: string, totals: readonly number[]): Promise<boolean> => {
      // Nobody asked for this day before, so it is in no cache.
      const day = new Date(++asked * 86_400_000).toISOString().slice(0, 10);
      const response = await fetch(`${server.url}/api/releases?modified_since=${day}&${query}`);
      const body = await response.json();
      assertEquals(response.status, 200, JSON.stringify(body));
      const total = body.pagination.total_items as number;
      assert(totals.includes(total), `${query}: ${total} of ${totals}`);
      seen.push(`${query}: ${total}`);
      return total === totals[1];
    };
    const readers = Array.from({ length: READERS }, async () => {
      let isAfter = false;
      while (!hasEnded) {
        const is = await read("release_status=Launched", [0, COUNT]);
        assert(is || !isAfter, "the state before does not come back");
        isAfter = is;
        await read("release_status=Planned", [COUNT, 0]);
        await read("q=word&limit=1", [COUNT, COUNT]);
      }
    });
    await Promise.all(readers);
    assertEquals(await ended, 0, command.output());
    assert(await read("release_status=Launched", [0, COUNT]));
    const before = seen.filter((line) => line === "release_status=Launched: 0");
    assert(before.length > 0, "they had their turn while the import was prepared");
    await Deno.remove(folder, { recursive: true });
  },
);
