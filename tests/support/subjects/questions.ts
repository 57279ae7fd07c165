import { deepStrictEqual as assertEquals } from "node:assert/strict";
import type { Database } from "../../../lib/database/database.ts";
import { makeItem, type TestApp } from "../app.ts";
import type { EmbeddingServer } from "../servers/embedding_server.ts";
import { settingsFor, startEmbedded } from "./semantic.ts";

const ITEMS = [
  makeItem(1, { feature_name: "Rent an automobile", feature_description: null }),
  makeItem(2, { feature_name: "Car keys", feature_description: null }),
];

/** The search mode and caching of a semantic response. */
export const SEMANTIC = ["semantic", "public, max-age=14400, stale-while-revalidate=3600"];

/** The same for a search by words: cached for this client only, or for everyone (`PUBLIC`). */
export const PRIVATE = ["substring", "private, max-age=60"];

export const PUBLIC = ["substring", "public, max-age=60"];

/** The headers of a request that a proxy forwards from this address. */
export function from(client: string, more: Record<string, string> = {}): RequestInit {
  return { headers: { "X-Forwarded-For": client, ...more } };
}

/** The search mode and caching of a response to a client. */
export async function ask(app: TestApp, client: string, q: string, more = ""): Promise<unknown[]> {
  const response = await app.fetch(`/api/releases?q=${encodeURIComponent(q)}${more}`, from(client));
  assertEquals([response.status, q], [200, q]);
  await response.body?.cancel();
  return [response.headers.get("x-search-mode"), response.headers.get("cache-control")];
}

/** A service behind a proxy, whose items all have a vector. */
export async function start(
  database: Database,
  server: EmbeddingServer,
  limits: Record<string, string> = {},
): Promise<TestApp> {
  const settings = settingsFor(server, { TRUSTED_PROXIES: "1", ...limits });
  const app = await startEmbedded(database, settings, ITEMS);
  server.requests.length = 0;
  return app;
}
