import type { Database } from "../database/database.ts";
import { BULK_LIMITS } from "./bulk_limits.ts";
import type { EmbeddingService } from "./embedding_service.ts";
import type { EmbeddingSet } from "./embedding_sets_sql.ts";
import { readNoise, storeMinSimilarity } from "./embeddings_sql.ts";

/** Until it is measured. */
const DEFAULT = 0.2;

/** Queries that no roadmap answers, from different parts of life. */
const UNRELATED = [
  "apple pie recipe",
  "train to the mountains",
  "birthday presents",
  "rain and snow tomorrow",
  "feeding a cat",
  "beach holiday with children",
  "haircut",
  "violin concert",
  "secondhand bicycle",
  "when to plant tomatoes",
  "sore throat",
  "fresh bread",
  "winter coat",
  "museum opening hours",
  "names for a baby girl",
  "washing wool",
  "mushroom soup",
  "marathon training plan",
  "goldfish",
  "repairing a leaky roof",
];

/** The minimum that was set and the one that was measured; null: there is none. */
export interface MinSimilarities {
  /** SEMANTIC_MIN_SIMILARITY */
  set: number | null;
  measured: number | null;
}

/** The similarity from which an item matches a query. */
export function chooseMinSimilarity({ set, measured }: MinSimilarities): number {
  return set ?? measured ?? DEFAULT;
}

/**
 * The similarity from which an item matches, and where it comes from.
 *
 * ```ts
 * const text = describeMinSimilarity({ set: 0.2, measured: 0.31 });
 * if (text !== "0.2 (SEMANTIC_MIN_SIMILARITY; measured: 0.31)") throw new Error(text);
 * ```
 */
export function describeMinSimilarity({ set, measured }: MinSimilarities): string {
  if (set !== null) return `${set} (SEMANTIC_MIN_SIMILARITY; measured: ${measured ?? "not yet"})`;
  return measured === null ? `${DEFAULT} (not measured yet)` : `${measured} (measured)`;
}

/**
 * Measures how similar items are to queries that have nothing to do with them, and stores the least
 * similarity with which nine in ten of these find nothing; null: there are no items.
 *
 * @throws {EmbeddingError} where the service fails
 */
export async function measureMinSimilarity(
  database: Database,
  service: EmbeddingService,
  { set, signal }: { set: EmbeddingSet; signal?: AbortSignal },
): Promise<number | null> {
  const vectors = await service.embed(UNRELATED, set, { ...BULK_LIMITS, signal });
  const noise = await readNoise(database, set, vectors.filter((vector) => vector !== null));
  if (noise === null) return null;
  const measured = Math.min(1, (Math.floor(noise * 100) + 1) / 100);
  await storeMinSimilarity(database, set, measured);
  return measured;
}
