import type { SearchAnswer } from "./search_answer.ts";
import type { SearchQuery } from "./search_query.ts";
import { searchLink } from "./search_link.ts";

/** Links to the pages of a list: those beside this one, the first and the last. */
export function Pages({ path, query, answer: { page, totalPages }, turnTo }: {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  turnTo(page: number): void;
}) {
  if (totalPages === 1 && page === 1) return null;
  const link = (target: number, words: string, more: object) => (
    <a
      {...searchLink(path, { ...query, page: target }, () => turnTo(target))}
      rel={undefined}
      {...more}
    >
      {words}
    </a>
  );
  return (
    <nav class="pages numbered" aria-label="Pages of results">
      {page > 1 ? link(Math.min(page - 1, totalPages), "← Previous", { rel: "prev" }) : <span />}
      <ol>
        {listPages(page, totalPages).map((one) => (
          <li key={one}>
            {one < 0 ? "…" : link(one, String(one), {
              "aria-label": `Page ${one}`,
              "aria-current": one === page ? "page" : undefined,
            })}
          </li>
        ))}
      </ol>
      {page < totalPages ? link(page + 1, "Next →", { rel: "next" }) : <span />}
    </nav>
  );
}

/**
 * The numbers of the pages to link, a negative one for each gap.
 *
 * ```ts
 * const pages = listPages(6, 21).join();
 * if (pages !== "1,-1,5,6,7,-7,21") throw new Error(pages);
 * if (listPages(1, 4).join() !== "1,2,3,4") throw new Error();
 * ```
 */
export function listPages(page: number, totalPages: number): number[] {
  const wanted = [1, page - 1, page, page + 1, totalPages];
  const pages = [...new Set(wanted)].filter((one) => one >= 1 && one <= totalPages)
    .sort((a, b) => a - b);
  return pages.flatMap((one, place) => {
    const before = pages[place - 1] ?? 0;
    if (one - before === 2) return [one - 1, one];
    return one - before > 2 ? [-before, one] : [one];
  });
}
