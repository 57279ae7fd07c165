import type { SaidSearch, SearchQuery } from "../../components/search/search_query.ts";
import { capitalise, joinParts } from "../text/phrases.ts";
import { FILTER_NAMES, isList } from "../roadmap/filter/filter_values.ts";
import {
  describeDateRange,
  describeDue,
  describeFilter,
  describeOne,
  listChosen,
} from "../roadmap/filter/filter_words.ts";
import { say } from "../text/messages.ts";

/** The dates that a phrase among the words of a search asks for; each may be empty. */
type DatesInWords = Readonly<
  Record<"date_name" | "release_date_from" | "release_date_to" | "due", string>
>;

/** A search in words, with every spelling of its values, and the dates among its words. */
export function saySearch(
  search: SearchQuery,
  { also, dates }: { also: Partial<SearchQuery>; dates: DatesInWords | null },
): SaidSearch {
  return {
    title: titleSearch(search),
    feeds: describeFilter({ ...search, ...also }),
    chosen: listChosen(search)
      .filter(({ names: [name] }) => !isList(name!))
      .map(({ names, words }) => ({ names, words })),
    dates: dates ? [...describeDateRange(dates), ...describeDue(dates.due)] : [],
    kept: Object.fromEntries(
      FILTER_NAMES.flatMap((name) => {
        const words = isList(name) || search[name] === "" ? "" : describeOne(name, search[name]);
        return words === "" || name === "q" ? [] : [[name, words]];
      }),
    ),
  };
}

/**
 * The title of the page of a search, without the name of the site; empty: the whole roadmap.
 */
export function titleSearch(query: SearchQuery): string {
  const parts = [
    describeFilter(query),
    query.view === "board" ? say("title.board") : "",
    ...query.page > 1 ? [say("title.page", { page: query.page })] : [],
  ].filter((part) => part !== "");
  return capitalise(joinParts(parts));
}
