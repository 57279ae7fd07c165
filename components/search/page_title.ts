import { describeFilter } from "../../lib/roadmap/filter/filter_in_words.ts";
import type { SearchQuery } from "./search_query.ts";

/**
 * The title of the page of a search, without the name of the site; empty: the whole roadmap.
 *
 * ```ts
 * import { readSearch } from "./search_query.ts";
 * const title = titleSearch(readSearch(new URLSearchParams("q=sign-in&view=board")));
 * if (title !== "“sign-in”, board") throw new Error(title);
 * if (titleSearch(readSearch(new URLSearchParams("page=2"))) !== "Page 2") throw new Error();
 * ```
 */
export function titleSearch(query: SearchQuery): string {
  const parts = [
    describeFilter(query),
    query.view,
    ...query.page > 1 ? [`page ${query.page}`] : [],
  ].filter((part) => part !== "");
  const title = parts.join(", ");
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}
