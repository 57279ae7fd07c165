import type { SearchAnswer, SearchQuery } from "../../components/search/search_query.ts";
import type { CollectionQuery } from "../../lib/roadmap/collection.ts";
import type { AskedDates } from "../../lib/roadmap/words/dates_in_words.ts";
import type { ReadQuestion, SearchContext } from "../../lib/search/find_releases.ts";
import type { RoadmapServices } from "../../lib/service/roadmap_services.ts";

/** The releases on a page of the list. */
export const LIST_SIZE = 50;

/** A search of the page, as the address asks for it. */
export interface ParsedSearch {
  collection: CollectionQuery;
  /** The same as the state of the form. */
  search: SearchQuery;
  /** What the words say of dates, and the words without it; null: nothing. */
  dates: { rest: string; asked: AskedDates & Pick<CollectionQuery, "q"> } | null;
  /** What it is read from. */
  roadmap: RoadmapServices;
}

/** What a search is read with. */
export interface ViewContext extends SearchContext {
  readonly services: RoadmapServices;
}

/** What a view has found, and how its question was read. */
export interface Found {
  answer: Omit<SearchAnswer, "view" | "counts" | "quarters">;
  found: ReadQuestion;
}
