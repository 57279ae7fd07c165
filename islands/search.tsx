import { useEffect, useRef } from "preact/hooks";
import { Results } from "./results.tsx";
import { type Choices, SearchForm } from "./search_form.tsx";
import type { SearchAnswer } from "./search_answer.ts";
import { announceFeeds } from "./announce_feeds.ts";
import type { SearchQuery } from "./search_query.ts";
import { useSearch } from "./use_search.ts";

export interface SearchProps {
  /** Of the site, as in `/b` */
  path: string;
  /** Of the site, absolute. */
  url: string;
  siteName: string;
  choices: Choices;
  /** The quarter of today, `Q4 2026`. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
}

/** The search of the roadmap: a plain form that updates the results while one types. */
export function Search({ path, url, siteName, choices, quarter, ...first }: SearchProps) {
  const { query, answer, state, change, type, again } = useSearch(path, first);
  const heading = useRef<HTMLHeadingElement>(null);

  useEffect(() => announceFeeds(path, { filter: query, siteName }), [query]);

  function turnTo(page: number): void {
    change({ page });
    heading.current?.focus();
  }

  return (
    <>
      <SearchForm path={path} choices={choices} query={query} on={{ change, type, again }} />
      <Results
        path={path}
        url={url}
        quarter={quarter}
        query={query}
        answer={answer}
        state={state}
        heading={heading}
        on={{ change, turnTo, again }}
      />
    </>
  );
}
