import { embedItems, measureMinSimilarity } from "../lib/search/embed_items.ts";
import { prepareSet } from "../lib/search/embeddings_sql.ts";
import { EmbeddingService } from "../lib/search/embedding_service.ts";
import { describeMinSimilarity } from "../lib/search/semantic_search.ts";
import { toLine } from "../lib/text/phrases.ts";
import { type Command, requireEmbedding, withDatabase } from "./command.ts";
import { parseGiven } from "./given.ts";
import { withProgress } from "./progress.ts";

/** `deno task embed`: embeds every item that has no vector. */
export const run: Command = async (args, config) => {
  parseGiven("embed", args);
  const embedding = requireEmbedding(config);
  const service = new EmbeddingService(embedding);
  const started = performance.now();
  const done = await withProgress("Embedding", (show) =>
    withDatabase(config, async (database) => {
      const onProgress = ({ done, total }: { done: number; total: number }) =>
        show(total === 0 ? 1 : done / total, `Embedded ${done} of ${total} texts`);
      const counts = await embedItems(database, service, { onProgress });
      if (counts === null) return null;
      const set = await prepareSet(database, service);
      return { ...counts, measured: await measureMinSimilarity(database, service, { set }) };
    }, { needsSame: true }));
  if (done === null) {
    console.log(
      "Another process is embedding, or was stopped within the last minute: nothing to do",
    );
    return;
  }
  const { embedded, refused, skipped, measured } = done;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `Embedded ${embedded} texts, ${refused} refused, with ${service.model} in ${seconds} s`,
  );
  for (const { name, reason } of skipped) console.log(`  “${toLine(name)}”: ${reason}`);
  if (refused > skipped.length) console.log(`  and ${refused - skipped.length} more`);
  const minSimilarity = describeMinSimilarity({ set: embedding.minSimilarity, measured });
  console.log(`Minimum similarity: ${minSimilarity}`);
};
