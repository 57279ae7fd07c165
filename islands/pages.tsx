import type { SearchAnswer } from "./search_answer.ts";
import { searchAddress, type SearchQuery } from "./search_query.ts";
import { staysHere } from "./stays_here.ts";

/** Links to the previous and the next page. */
export function Pages({ path, query, answer: { page, totalPages }, turnTo }: {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  turnTo(page: number): void;
}) {
  if (totalPages === 1 && page === 1) return null;
  const link = (target: number, rel: string, label: string) => (
    <a
      rel={rel}
      href={searchAddress(path, { ...query, page: target })}
      onClick={staysHere(() => turnTo(target))}
    >
      {label}
    </a>
  );
  return (
    <nav class="pages" aria-label="Pages of results">
      {page > 1 ? link(Math.min(page - 1, totalPages), "prev", "← Previous") : <span />}
      <span>Page {page} of {totalPages}</span>
      {page < totalPages ? link(page + 1, "next", "Next →") : <span />}
    </nav>
  );
}
