import { readConfig } from "../../../lib/config/config.ts";
import type { Connection, Database } from "../../../lib/database/database.ts";
import { embedItems, type EmbedOptions } from "../../../lib/search/embed_items.ts";
import { EmbeddingService } from "../../../lib/search/embedding_service.ts";
import { importItems, startApp, type TestApp } from "../app.ts";
import type { EmbeddingServer } from "../servers/embedding_server.ts";

/** Settings with the embedding service of a test; vectors are short, so that tests are fast. */
export function settingsFor(
  server: EmbeddingServer,
  more: Record<string, string> = {},
): Record<string, string> {
  return { OPENAI_BASE_URL: server.url, EMBEDDING_DIMENSIONS: "256", ...more };
}

/** Does what the background job of a server does. */
export async function embedAll(
  database: Database,
  settings: Record<string, string>,
  options: EmbedOptions = {},
) {
  const service = new EmbeddingService(readConfig(settings).embedding!);
  const counts = await embedItems(database, service, options);
  return counts && { embedded: counts.embedded, refused: counts.refused };
}

/** A service whose database has these items and their vectors. */
export async function startEmbedded(
  database: Database,
  settings: Record<string, string>,
  items: unknown,
): Promise<TestApp> {
  await importItems(database, items);
  await embedAll(database, settings);
  return await startApp(database, settings);
}

/** A database that counts the statements that compare vectors. */
export function watchComparisons(database: Database): Database & { takeComparisons(): number } {
  let count = 0;
  const watch = (connection: Connection): Connection => ({
    query(statement) {
      if (statement.compile().text.includes("embedding <=>")) count++;
      return connection.query(statement);
    },
    script: (text) => connection.script(text),
  });
  return {
    ...database,
    ...watch(database),
    transaction: (work) => database.transaction((connection) => work(watch(connection))),
    takeComparisons() {
      const taken = count;
      count = 0;
      return taken;
    },
  };
}
