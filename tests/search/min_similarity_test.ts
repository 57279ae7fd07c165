import { deepStrictEqual as assertEquals, ok as assert } from "node:assert/strict";
import { sql } from "../../lib/database/sql.ts";
import type { Database } from "../../lib/database/database.ts";
import { importItems, makeItem, serve, startApp } from "../support/app.ts";
import { testOnDatabases } from "../support/databases.ts";
import { embedWords, startEmbeddingServer } from "../support/servers/embedding_server.ts";
import { embedAll, settingsFor } from "../support/subjects/semantic.ts";
import { slowOnDatabases } from "../support/slow.ts";

const NAMES = ["Rent an automobile", "Night theme", "Conversation export"];

function makeItems(count = NAMES.length): Record<string, unknown>[] {
  return Array.from(
    { length: count },
    (_, index) =>
      makeItem(index + 1, {
        feature_name: NAMES[index] ?? `Feature ${index}`,
        feature_description: null,
      }),
  );
}

/** All texts have most of their direction in common, as with some models. */
function startLikeAll() {
  return startEmbeddingServer((text, dimensions) => {
    const words = embedWords(text, dimensions - 1);
    const length = Math.hypot(...words);
    return [2, ...words.map((part) => part / length)];
  });
}

async function countFound(database: Database, settings: Record<string, string>, q: string) {
  await using app = await startApp(database, settings);
  const response = await app.fetch(`/api/releases?q=${q}`);
  assertEquals(response.headers.get("x-search-mode"), "semantic");
  return (await response.json()).pagination.total_items;
}

async function readMeasured(database: Database): Promise<number | null> {
  const [set] = await database.query<{ min_similarity: number | null }>(
    sql`select min_similarity from embedding_sets`,
  );
  return set!.min_similarity;
}

for (const [kind, start] of [["alike", startLikeAll], ["apart", startEmbeddingServer]] as const) {
  testOnDatabases(`The minimum fits a model that finds texts ${kind}`, async (database) => {
    await using server = start();
    const settings = settingsFor(server, { EMBEDDING_DIMENSIONS: "2000" });
    await importItems(database, makeItems());
    await embedAll(database, settings, { measures: true });
    assertEquals(await countFound(database, settings, "vehicle"), 1);
    assertEquals(await countFound(database, settings, "zebra"), 0);
    const set = { ...settings, SEMANTIC_MIN_SIMILARITY: "-1" };
    assertEquals(await countFound(database, set, "zebra"), NAMES.length);
  });
}

testOnDatabases("Until it is measured, the minimum is 0.2", async (database) => {
  await using server = startLikeAll();
  const settings = settingsFor(server);
  await importItems(database, makeItems());
  await embedAll(database, settings);
  assertEquals(await readMeasured(database), null);
  assertEquals(await countFound(database, settings, "zebra"), NAMES.length);
});

slowOnDatabases("The minimum is measured again if most items are new", async (database) => {
  await using server = startEmbeddingServer();
  const measures = async (count: number) => {
    await importItems(database, makeItems(count));
    server.requests.length = 0;
    await embedAll(database, settingsFor(server), { measures: true });
    return server.requests.some(({ input }) => input.includes("goldfish"));
  };
  assertEquals(await measures(3), true);
  assertEquals(await measures(3), false);
  assertEquals(await measures(5), false);
  assertEquals(await measures(10), true);
});

for (const set of ["", "0.3"]) {
  const what = set === "" ? "measures a minimum that is not set" : "leaves a minimum that is set";
  testOnDatabases(`The server ${what}`, async (database) => {
    await using server = startEmbeddingServer();
    const token = "an-admin-token-of-31-characters";
    const more = { ADMIN_TOKEN: token, SEMANTIC_MIN_SIMILARITY: set };
    await using app = await serve(database, makeItems(), settingsFor(server, more));
    const headers = { Authorization: `Bearer ${token}` };
    const { embeddings } = await (await app.fetch("/api/work", { method: "POST", headers })).json();
    assertEquals(embeddings, { embedded: 3, refused: 0, failed: 0 });
    assertEquals(await readMeasured(database) !== null, set === "");
  });
}

testOnDatabases("Without items there is nothing to measure", async (database) => {
  await using server = startEmbeddingServer();
  await embedAll(database, settingsFor(server), { measures: true });
  assertEquals(await readMeasured(database), null);
});

testOnDatabases("Items are found although the minimum cannot be measured", async (database) => {
  await using server = startEmbeddingServer();
  const settings = settingsFor(server);
  server.judge = ({ input }) => input.includes("goldfish") ? { kind: "status", status: 400 } : null;
  await importItems(database, makeItems());
  const error = await embedAll(database, settings, { measures: true }).catch((error) => error);
  assertEquals(error.name, "EmbeddingError");
  assertEquals(await countFound(database, settings, "vehicle"), 1);
  server.judge = () => null;
  await embedAll(database, settings, { measures: true });
  assert(await readMeasured(database) !== null);
});
