import type { RefObject } from "preact";
import { type FilterName, NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import type { Key } from "../../lib/text/message_keys.ts";
import { Changing } from "../changing.tsx";
import { strong } from "../name.tsx";
import { Board } from "./board.tsx";
import { ReleaseList } from "./releases.tsx";
import {
  filterQuery,
  isNarrowed,
  type SearchAnswer,
  searchLink,
  type SearchQuery,
  withoutFilter,
} from "./search_query.ts";
import { rich, say } from "../../lib/text/say.ts";

/** How far a search has come. */
export type SearchState =
  | { name: "ready" }
  | { name: "loading" }
  | { name: "failed"; message: string };

interface ResultsProps {
  path: string;
  /** The quarter of today. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  state: SearchState;
  heading: RefObject<HTMLHeadingElement | null>;
  on: {
    /** Changes the search, and leads to the results. */
    changeAndGo(part: Partial<SearchQuery>): void;
    again(): void;
  };
}

/** What is worth knowing of how the words were searched. */
const MODES: Partial<Record<NonNullable<SearchAnswer["mode"]>, Key>> = {
  semantic: "mode.semantic",
  similar: "mode.similar",
  "any-word": "mode.any_word",
  related: "mode.related",
};

/** The results: how many there are, and a page of them, or a board. */
export function Results(
  { path, quarter, query, answer, state, heading, on }: ResultsProps,
) {
  const shared = { path, quarter, query, answer, onPick: on.changeAndGo };
  const isEmpty = answer.view === "" ? answer.items.length === 0 : answer.total === 0;
  return (
    <section class="results" aria-labelledby="results-heading" aria-busy={state.name === "loading"}>
      <h2 id="results-heading" class="visually-hidden" tabIndex={-1} ref={heading}>
        {say("search.releases")}
      </h2>
      {answer.changes && (
        <p class="notice">
          <a href={`${path}/changelog${answer.changes.query}`}>
            {say("search.in_changelog", { words: answer.changes.words })}
          </a>
        </p>
      )}
      {state.name === "failed"
        ? <Failure message={state.message} again={on.again} />
        : isEmpty
        ? <Nothing {...shared} />
        : answer.view === "board"
        ? <Board {...shared} />
        : <ReleaseList {...shared} />}
      {state.name !== "failed" && <Pages {...shared} />}
    </section>
  );
}

/** How many releases there are, beside the title of the page. */
export function Count({ query, answer, state }: Pick<ResultsProps, "query" | "answer" | "state">) {
  const mode = state.name === "ready" && answer.mode !== null && MODES[answer.mode];
  return (
    <p class={isNarrowed(query) ? "count narrowed" : "count"} role="status">
      <Changing text={state.name === "loading" ? say("search.searching") : countInWords(answer)} />
      {mode && <span key={mode} class="badge meaning">{say(mode)}</span>}
    </p>
  );
}

function Failure({ message, again }: { message: string; again(): void }) {
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>{say("search.failed")}</strong> {message}
      </p>
      <button type="button" onClick={again}>{say("search.again")}</button>
    </div>
  );
}

function countInWords({ total, page, totalPages }: SearchAnswer): string {
  const releases = say("count.releases", { count: total });
  return page > 1 && page <= totalPages
    ? say("search.count_on_page", { releases, page, pages: totalPages })
    : releases;
}

/** The filters that can be taken off, by their first parameter. */
const FILTERS: Partial<Record<FilterName, Key>> = {
  product_name: "field.product_name",
  release_type: "list.type",
  release_status: "field.release_status",
  tag: "preference.tags",
  source: "list.source",
  release_date_from: "filter.date",
  modified_within_days: "filter.changed_within",
};

function withoutFilters(query: SearchQuery, names: readonly FilterName[]): SearchQuery {
  const none = Object.fromEntries(names.map((name) => [name, NO_FILTER[name]]));
  return { ...query, ...none, page: 1 };
}

interface FoundProps {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** Says why there is no release to show, and leads on. */
function Nothing({ path, query, answer, onPick }: FoundProps) {
  const { total, totalPages, without = [] } = answer;
  const link = (wanted: SearchQuery, words: string) => (
    <a
      key={words}
      {...searchLink(path, wanted, () => onPick(wanted))}
    >
      {words}
    </a>
  );
  if (total > 0) {
    return (
      <div class="notice">
        <p>
          <Changing
            text={say("search.page_is_empty", { pages: totalPages })}
          />
        </p>
        {link({ ...query, page: totalPages }, say("search.last_page"))}
      </div>
    );
  }
  if (isNarrowed(query)) {
    return (
      <div class="notice">
        <p>
          <strong>{say("search.nothing")}</strong>{" "}
          <Changing
            text={without.length > 0 ? say("search.fewer_filters") : say("search.other_words")}
          />
        </p>
        {without.length > 0 && (
          <ul>
            {without.map(({ names, count }) => (
              <li key={names[0]}>
                {link(
                  withoutFilters(query, names),
                  say("search.without", { name: say(FILTERS[names[0]!]!), count }),
                )}
              </li>
            ))}
          </ul>
        )}
        <p>
          {rich("search.or_all", {
            all: (words) => link(withoutFilter(query), words.join("")),
            follow: (words) => <a href={`${path}/subscribe${filterQuery(query)}`}>{words}</a>,
          })}
        </p>
      </div>
    );
  }
  return (
    <div class="notice">
      <p>
        {rich("search.empty", { b: strong })}
      </p>
    </div>
  );
}

/** Links to the pages of a list: those beside this one, the first and the last. */
function Pages({ path, query, answer: { page, totalPages }, onPick }: FoundProps) {
  if (totalPages === 1 && page === 1) return null;
  const link = (target: number, words: string, more: object) => (
    <a
      {...searchLink(path, { ...query, page: target }, () => onPick({ ...query, page: target }))}
      rel={undefined}
      {...more}
    >
      {words}
    </a>
  );
  return (
    <nav class="pages numbered" aria-label={say("pages.label")}>
      {page > 1
        ? link(Math.min(page - 1, totalPages), say("pages.previous"), { rel: "prev" })
        : <span />}
      <ol>
        {listPages(page, totalPages).map((one) => (
          <li key={one}>
            {one < 0 ? "…" : link(one, String(one), {
              "aria-label": say("pages.page", { page: one }),
              "aria-current": one === page ? "page" : undefined,
            })}
          </li>
        ))}
      </ol>
      {page < totalPages ? link(page + 1, say("pages.next"), { rel: "next" }) : <span />}
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
