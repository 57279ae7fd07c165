import { deepStrictEqual as assertEquals, match } from "node:assert/strict";
import { makeItem } from "../../support/app.ts";
import {
  type EmbeddingServer,
  startEmbeddingServer,
} from "../../support/servers/embedding_server.ts";
import { settingsFor } from "../../support/subjects/semantic.ts";
import { sayHere } from "../../support/command.ts";
import { copyMigrated } from "../../support/databases.ts";
import { startServer } from "../../support/server.ts";
import { waitFor } from "../../support/wait_for.ts";

const run = (words: string[], DATA_DIR: string, settings: Record<string, string>) =>
  sayHere(words, { DATA_DIR, ...settings });

async function withItems(test: (dataDir: string, server: EmbeddingServer) => Promise<void>) {
  const dataDir = await Deno.makeTempDir();
  await copyMigrated(dataDir);
  await using server = startEmbeddingServer();
  try {
    const file = `${dataDir}/items.json`;
    const items = [
      makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
      makeItem(2, { feature_name: "Night\u001b]0;\u0007 theme", feature_description: null }),
    ];
    await Deno.writeTextFile(file, JSON.stringify(items));
    assertEquals((await run(["import", file], dataDir, {})).code, 0);
    await test(dataDir, server);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

Deno.test("embed and search report what they did, and what is missing", () =>
  withItems(async (dataDir, server) => {
    const settings = settingsFor(server);
    for (const words of [["embed"], ["search", "car"]]) {
      const { code, err } = await run(words, dataDir, {});
      assertEquals([code, err], [
        2,
        "Set OPENAI_API_KEY or OPENAI_BASE_URL to name an embedding service\n",
      ]);
    }
    const early = await run(["search", "car"], dataDir, settings);
    assertEquals(early.out, "No item has a vector yet: run `deno task embed`\n");

    server.trouble = { kind: "status", status: 401 };
    const refused = await run(["embed"], dataDir, settings);
    assertEquals(refused.code, 1);
    match(
      refused.err,
      /^The embedding service at \S+ rejected the key: check OPENAI_API_KEY\n$/,
    );
    server.trouble = null;

    const embedded = await run(["embed"], dataDir, settings);
    assertEquals(embedded.code, 0);
    match(
      embedded.out,
      /^Embedded 2 texts, 0 refused, with text-embedding-3-small in \d+\.\d s\nMinimum similarity: 0\.\d\d \(measured\)\n$/,
    );
    const measured = /0\.\d\d(?= \(measured)/.exec(embedded.out)![0];

    const unlimited = { ...settings, QUESTION_LIMIT: "0", QUESTION_BUDGET: "0" };
    const found = await run(["search", "vehicle"], dataDir, unlimited);
    assertEquals(found.code, 0);
    match(
      found.out,
      /^similarity {2}product, feature\n {4}0\.\d{4} {2}Product, Rent an automobile\n-{10} {2}below the minimum similarity\n {4}0\.\d{4} {2}Product, Night ]0; theme\n1 item at or above the minimum similarity of 0\.\d\d \(measured\)\n$/,
    );
    const set = { ...settings, SEMANTIC_MIN_SIMILARITY: "0.3" };
    const both = `0.3 (SEMANTIC_MIN_SIMILARITY; measured: ${measured})`;
    const again = await run(["embed"], dataDir, set);
    assertEquals(again.out.split("\n")[1], `Minimum similarity: ${both}`);
    const above = await run(["search", "vehicle"], dataDir, set);
    assertEquals(
      above.out.split("\n").at(-2),
      `1 item at or above the minimum similarity of ${both}`,
    );
    const wrong = await run(["search", "car", "--limit", "few"], dataDir, settings);
    assertEquals(wrong.code, 2);
    match(wrong.err, /--limit takes a whole number from 1, not "few"/);
    const nothing = await run(["search", " "], dataDir, settings);
    assertEquals([nothing.code, nothing.err], [
      2,
      'No search words given. Usage: deno task search "words" [--limit N]\n',
    ]);
  }));

Deno.test("The server embeds imported items, and finds them by meaning", () =>
  withItems(async (dataDir, server) => {
    await using own = await startServer({ ...settingsFor(server), DATA_DIR: dataDir });
    const address = `${own.url}/api/releases?q=vehicle`;
    await waitFor("the items to be found by meaning", async () => {
      const response = await fetch(address);
      const answer = await response.json();
      return response.headers.get("x-search-mode") === "semantic" &&
        answer.pagination.total_items === 1;
    });
    assertEquals(server.requests[0]!.input.toSorted(), [
      "Night\u001b]0;\u0007 theme\nProduct",
      "Rent an automobile\nProduct",
    ]);
  }));
