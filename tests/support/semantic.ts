import { readConfig } from "../../lib/config.ts";
import type { Database } from "../../lib/database/database.ts";
import { embedItems, type EmbedOptions } from "../../lib/search/embed_items.ts";
import { EmbeddingService } from "../../lib/search/embedding_service.ts";
import type { EmbeddingServer } from "./embedding_server.ts";

/** Settings that name the embedding service of a test; vectors are short, so that tests are quick. */
export function settingsFor(
  server: EmbeddingServer,
  more: Record<string, string> = {},
): Record<string, string> {
  return { OPENAI_BASE_URL: server.url, EMBEDDING_DIMENSIONS: "256", ...more };
}

/** Does what the background job of a server does. */
export function embedAll(
  database: Database,
  settings: Record<string, string>,
  options: EmbedOptions = {},
) {
  return embedItems(database, new EmbeddingService(readConfig(settings).embedding!), options);
}
