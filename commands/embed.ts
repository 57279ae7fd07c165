import { embedItems } from "../lib/search/embed_items.ts";
import { EmbeddingService } from "../lib/search/embedding_service.ts";
import { type Command, parseWords, requireEmbedding, withDatabase } from "./command.ts";
import type { Help } from "./help.ts";
import { startProgress } from "./progress.ts";

const USAGE = "deno task embed";

/** The text of `--help`. */
export const help: Help = {
  summary: "Embeds every new or changed item, for semantic search",
  usage: USAGE,
};

/** `deno task embed`: embeds every item that has no vector. */
export const run: Command = async (args, config) => {
  parseWords(args, {}, { usage: USAGE, words: [0, 0] });
  const service = new EmbeddingService(requireEmbedding(config));
  const started = performance.now();
  const bar = await startProgress("Embedding");
  try {
    const counts = await withDatabase(
      config,
      (database) =>
        embedItems(database, service, {
          onProgress: ({ done, total }) =>
            bar.show(total === 0 ? 1 : done / total, `Embedded ${done} of ${total} texts`),
        }),
    );
    bar.stop();
    if (counts === null) {
      console.log("Another process is embedding already: nothing to do");
      return;
    }
    const { embedded, refused } = counts;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `Embedded ${embedded} texts, ${refused} refused, with ${service.model} in ${seconds} s`,
    );
  } catch (error) {
    bar.stop();
    throw error;
  }
};
