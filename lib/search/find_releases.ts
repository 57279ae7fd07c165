import type { Connection } from "../database/database.ts";
import type { Content } from "../http/responses/representation.ts";
import type { ItemFilter } from "../roadmap/filter/filter.ts";
import type { ItemOrder } from "../roadmap/items_sql.ts";
import { Selection } from "../roadmap/releases.ts";
import type { Site } from "../roadmap/sites.ts";
import { searchStrictly, searchWords, type WordsMode } from "../roadmap/words/search_words.ts";
import { sortIds } from "./nearest_sql.ts";
import type { RelatedWords } from "./related_words.ts";
import type { SemanticSearch } from "./semantic_search.ts";

/** A response that fell back to words expires soon. */
const FALLBACK_SECONDS = 60;

/** How a question was searched. */
type SearchMode = "semantic" | "related" | WordsMode;

/** What releases are found with; the context of a route is one. */
export interface SearchContext {
  readonly services: {
    readonly database: Connection;
    readonly semantic: SemanticSearch | null;
    /** Null: an embedding service knows meanings, or nothing does. */
    readonly related: RelatedWords | null;
  };
  readonly site: Site;
  /** Whom a new question to the embedding service is counted for. */
  readonly client: string;
}

/** How the question of a filter was read and searched. */
export interface ReadQuestion extends Pick<Content, "shortLived"> {
  /** What it lets through is found, unless there is a selection. */
  filter: ItemFilter;
  /** Null: there was no question. */
  mode: SearchMode | null;
}

/** What a filter finds. */
export interface FoundReleases extends ReadQuestion {
  /** What meaning and words have found, in its order. */
  selection?: Selection;
}

/**
 * Finds releases: by meaning and words where the variant does so and it is possible, else by words, and
 * by related ones where no release has every word.
 *
 * @param options `order`: of a selection; absent: the best match first. `wider`: what is found passes
 *   these filters in the place of its own, while its own decide how words are searched. `isRule`:
 *   `match=words` demands every word, as the address of a feed or a calendar does
 */
export async function findReleases(
  filter: ItemFilter,
  { services: { semantic, related, database }, site, client }: SearchContext,
  { order, wider = {}, isRule = false }: {
    order?: ItemOrder;
    wider?: Partial<ItemFilter>;
    isRule?: boolean;
  } = {},
): Promise<FoundReleases> {
  if (isRule && filter.match === "words") return await searchStrictly(filter, database);
  const { q } = filter;
  const byMeaning = q !== undefined && semantic !== null && site.variant.searchesByMeaning
    ? await semantic.select({ filter: { ...filter, q }, order, wider, client })
    : null;
  if (byMeaning?.selection) return { filter, selection: byMeaning.selection, mode: "semantic" };
  const { filter: read, mode, open } = await searchWords(filter, database);
  if (related && open && q !== undefined) {
    const ids = await related.find({ filter: { ...read, ...wider, q }, ...open });
    if (ids) {
      const ordered = order ? await sortIds(database, ids, order) : ids;
      return { filter: { ...read, ...wider }, selection: Selection.of(ordered), mode: "related" };
    }
  }
  const shortLived = byMeaning && { seconds: FALLBACK_SECONDS, isPrivate: byMeaning.isPrivate };
  return { filter: { ...read, ...wider }, mode, ...shortLived && { shortLived } };
}
