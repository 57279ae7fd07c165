import { getLogger } from "@logtape/logtape";
import type { Database } from "../database/database.ts";
import { embedItems } from "./embed_items.ts";
import { PgvectorMissing } from "./embedding_sets_sql.ts";
import { EmbeddingError } from "./embedding_error.ts";
import type { SemanticSearch } from "./semantic_search.ts";

const log = getLogger(["roadcast"]);

/** What a run did; `failed` counts runs that the service or the database ended. */
interface EmbeddedItems {
  embedded: number;
  refused: number;
  failed: number;
}

/** Embeds new and changed texts, unless another process does; the next run takes up what failed. */
export async function embedDueItems(
  database: Database,
  semantic: SemanticSearch,
  signal: AbortSignal,
): Promise<EmbeddedItems> {
  try {
    const counts = await embedItems(database, semantic.service, {
      signal,
      measures: semantic.usesMeasured,
    });
    if (counts?.embedded) log.info("Embedded items: {counts}", { counts });
    return { embedded: 0, refused: 0, ...counts, failed: 0 };
  } catch (error) {
    if (!(error instanceof EmbeddingError || error instanceof PgvectorMissing)) throw error;
    semantic.warn(error.message);
    return { embedded: 0, refused: 0, failed: 1 };
  }
}
