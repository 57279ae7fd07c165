import { useLayoutEffect, useRef } from "preact/hooks";
import { announceFeeds } from "../components/search/announce_feeds.ts";
import { titleSearch } from "../components/search/page_title.ts";
import { Results } from "../components/search/results.tsx";
import type { SearchAnswer } from "../components/search/search_answer.ts";
import { type Choices, SearchForm } from "../components/search/search_form.tsx";
import type { SearchQuery } from "../components/search/search_query.ts";
import { useSearch } from "../components/search/use_search.ts";
import { useSearchField } from "../components/search/use_search_field.ts";

export interface SearchProps {
  /** Of the site, as in `/b` */
  path: string;
  siteName: string;
  choices: Choices;
  /** The quarter of today, `Q4 2026`. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
}

/** The search of the roadmap: a plain form that updates the results while one types. */
export default function Search(
  { path, siteName, choices, quarter, ...first }: SearchProps,
) {
  const { query, answer, state, change, type, again } = useSearch(path, first);
  const heading = useRef<HTMLHeadingElement>(null);
  const focusResults = () => heading.current?.focus();

  // With the results, not a paint later: a visitor may save the page or go on before.
  useLayoutEffect(() => {
    announceFeeds(path, { filter: { ...query, ...answer.also }, siteName });
    const title = titleSearch(query);
    document.title = title ? `${title} · ${siteName}` : siteName;
  }, [query, answer]);

  useSearchField(query.q, type);

  function changeAndGo(part: Partial<SearchQuery>): void {
    change(part);
    focusResults();
  }

  return (
    <div class="search">
      <SearchForm
        path={path}
        choices={choices}
        quarter={quarter}
        query={query}
        answer={answer}
        on={{ change, again, show: focusResults }}
      />
      <Results
        path={path}
        quarter={quarter}
        query={query}
        answer={answer}
        state={state}
        heading={heading}
        on={{ change, changeAndGo, again }}
      />
    </div>
  );
}
