import { readItems } from "../lib/roadmap/items_sql.ts";
import type { Database } from "../lib/database/database.ts";
import { chooseMinSimilarity, describeMinSimilarity } from "../lib/search/semantic_search.ts";
import type { SemanticSearch } from "../lib/search/semantic_search.ts";
import { countOf, toLine } from "../lib/text/phrases.ts";
import { trimWords } from "../lib/text/match_words.ts";
import { startService } from "../lib/service/start_service.ts";
import { type Command, requireEmbedding, withDatabase } from "./command.ts";
import { parseCount, parseGiven, UsageError } from "./given.ts";

/** `deno task search`: shows what a search by meaning finds, with similarities. */
export const run: Command = async (args, config) => {
  const { values, positionals: [q] } = parseGiven("search", args);
  const limit = parseCount(values.limit ?? "20", "--limit");
  if (trimWords(q!) === "") throw new UsageError("No search words given");
  requireEmbedding(config);
  await withDatabase(config, async (database) => {
    const service = await startService(database, config);
    try {
      const found = await service.semantic!.measure({ q: q!, include_inactive: false });
      if (found === null) console.log("No item has a vector yet: run `deno task embed`");
      else await printItems(database, found, limit);
    } finally {
      await service.stop();
    }
  }, { needsSame: true });
};

/** The nearest items, with a line above those that `q` does not find, and how many it finds. */
async function printItems(
  database: Database,
  { near, minSimilarities }: NonNullable<Awaited<ReturnType<SemanticSearch["measure"]>>>,
  limit: number,
): Promise<void> {
  const shown = near.slice(0, limit);
  const items = await readItems(database, shown.map(({ release_item_id }) => release_item_id));
  const byId = new Map(items.map((item) => [item.release_item_id, item]));
  const minSimilarity = chooseMinSimilarity(minSimilarities);
  const found = near.filter(({ similarity }) => similarity >= minSimilarity).length;
  console.log("similarity  product, feature");
  shown.forEach(({ release_item_id, similarity }, place) => {
    if (place === found) console.log("----------  below the minimum similarity");
    const { product_name, feature_name } = byId.get(release_item_id)!;
    const name = toLine(`${product_name}, ${feature_name}`);
    console.log(`${similarity.toFixed(4).padStart(10)}  ${name}`);
  });
  const shownMinimum = describeMinSimilarity(minSimilarities);
  console.log(`${countOf(found, "item")} at or above the minimum similarity of ${shownMinimum}`);
}
