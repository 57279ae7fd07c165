import type { ComponentType, RefObject } from "preact";
import { type FilterName, NO_FILTER } from "../../lib/roadmap/filter/filter_values.ts";
import { countOf } from "../../lib/text/phrases.ts";
import { CopyForEmail } from "../copy_buttons.tsx";
import { Board, type QuarterViewProps, Timeline } from "./quarter_views.tsx";
import { ReleaseList } from "./releases.tsx";
import { Chips } from "./search_form.tsx";
import {
  filterQuery,
  isNarrowed,
  type SearchAnswer,
  searchLink,
  searchParameters,
  type SearchQuery,
  withoutFilter,
} from "./search_query.ts";

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
    change(part: Partial<SearchQuery>): void;
    /** Changes the search, and leads to the results. */
    changeAndGo(part: Partial<SearchQuery>): void;
    again(): void;
  };
}

/** What is worth knowing of how the words were searched. */
const MODES: Partial<Record<NonNullable<SearchAnswer["mode"]>, string>> = {
  semantic: "by meaning",
  similar: "similar spelling",
  "any-word": "any of these words",
  related: "any of these or related words",
};
const VIEWS: Readonly<Record<string, ComponentType<QuarterViewProps>>> = {
  board: Board,
  timeline: Timeline,
};
const NAMES = [["", "List"], ["board", "Board"], ["timeline", "Timeline"]] as const;

/** The results: their number, what is chosen, and a page of them, or a view by quarter. */
export function Results(
  { path, quarter, query, answer, state, heading, on }: ResultsProps,
) {
  const shared = { path, quarter, query, answer };
  const isEmpty = answer.view === "" ? answer.items.length === 0 : answer.total === 0;
  const View = VIEWS[answer.view];
  const isLoading = state.name === "loading";
  return (
    <>
      <div class="results-head">
        <p class="count" role="status">
          {isLoading ? "Searching…" : countInWords(answer)}
          {state.name === "ready" && answer.mode !== null && MODES[answer.mode] && (
            <span class="badge meaning">{MODES[answer.mode]}</span>
          )}
        </p>
        {query.view === "" && <SortMenu {...shared} onPick={on.change} />}
        <ViewSwitch {...shared} onPick={(view) => on.change({ view })} />
        {query.view === "" && <CopyForEmail address={`${path}/copy${searchParameters(query)}`} />}
      </div>
      <section class="results" aria-labelledby="results-heading" aria-busy={isLoading}>
        <Chips {...shared} onTake={on.change} onNone={() => heading.current?.focus()} />
        <h2 id="results-heading" class="visually-hidden" tabIndex={-1} ref={heading}>Releases</h2>
        {state.name === "failed"
          ? <Failure message={state.message} again={on.again} />
          : isEmpty
          ? <Nothing {...shared} onPick={on.changeAndGo} />
          : View
          ? <View {...shared} onPick={on.changeAndGo} />
          : <ReleaseList {...shared} onPick={on.changeAndGo} />}
        {state.name !== "failed" && (
          <Pages
            {...shared}
            turnTo={(page) => on.changeAndGo({ page })}
          />
        )}
      </section>
    </>
  );
}

function ViewSwitch({ path, query, onPick }: {
  path: string;
  query: SearchQuery;
  onPick(view: string): void;
}) {
  return (
    <nav class="switch" aria-label="View">
      {NAMES.map(([view, label]) => (
        <a
          {...searchLink(
            path,
            { ...query, view, from: "", group: "", page: 1 },
            () => onPick(view),
          )}
          aria-current={query.view === view ? "true" : undefined}
        >
          {label}
          {" "}
        </a>
      ))}
    </nav>
  );
}

function Failure({ message, again }: { message: string; again(): void }) {
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>Search failed.</strong> {message}
      </p>
      <button type="button" onClick={again}>Try again</button>
    </div>
  );
}

function countInWords({ total, page, totalPages }: SearchAnswer): string {
  const releases = countOf(total, "release");
  return totalPages > 1 && page <= totalPages
    ? `${releases}, page ${page} of ${totalPages}`
    : releases;
}

type Order = Pick<SearchQuery, "sort" | "order">;

const BY_DATE: Order = { sort: "release_date", order: "" };
const EARLIEST: Order = { sort: "release_date", order: "asc" };

interface SortMenuProps {
  path: string;
  query: SearchQuery;
  onPick(part: Partial<SearchQuery>): void;
}

/** The orders of a list, each a link. */
function SortMenu({ path, query, onPick }: SortMenuProps) {
  const offered = ordersOf(query);
  const [, current] =
    offered.find(([{ sort, order }]) => sort === query.sort && order === query.order) ??
      [null, "Least recently modified"];
  return (
    <details class="sort-menu">
      <summary>
        <span class="visually-hidden">Sort by:</span> {current}
      </summary>
      <ul>
        {offered.map(([order, words]) => {
          const part = { ...order, page: 1 };
          return (
            <li>
              <a
                {...searchLink(path, { ...query, ...part }, (event) => {
                  const details = (event.target as Element).closest("details")!;
                  details.open = false;
                  details.querySelector("summary")!.focus();
                  onPick(part);
                })}
                aria-current={words === current ? "true" : undefined}
              >
                {words}
              </a>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** With words the default order is the best match first, without them what comes soonest. */
function ordersOf({ q }: SearchQuery): readonly (readonly [Order, string])[] {
  return [
    [{ sort: "", order: "" }, q.trim() ? "Best match" : "Soonest first"],
    [{ sort: "last_modified", order: "" }, "Recently modified"],
    [EARLIEST, "Earliest date first"],
    [BY_DATE, "Latest date first"],
  ];
}

/** The filters that can be taken off, by their first parameter. */
const FILTERS: Partial<Record<FilterName, string>> = {
  product_name: "product",
  release_type: "type",
  release_status: "status",
  tag: "tag",
  source: "source",
  release_date_from: "date",
  modified_within_days: "modification",
};

function withoutFilters(query: SearchQuery, names: readonly FilterName[]): SearchQuery {
  const none = Object.fromEntries(names.map((name) => [name, NO_FILTER[name]]));
  return { ...query, ...none, page: 1 };
}

interface NothingProps {
  path: string;
  query: SearchQuery;
  answer: SearchAnswer;
  onPick(query: SearchQuery): void;
}

/** Says why there is no release to show, and leads on. */
function Nothing({ path, query, answer, onPick }: NothingProps) {
  const { total, totalPages, without = [] } = answer;
  const link = (wanted: SearchQuery, words: string) => (
    <a {...searchLink(path, wanted, () => onPick(wanted))}>
      {words}
    </a>
  );
  if (total > 0) {
    return (
      <div class="notice">
        <p>
          No releases on this page. The list has {countOf(totalPages, "page")}.
        </p>
        {link({ ...query, page: totalPages }, "Go to the last page")}
      </div>
    );
  }
  if (isNarrowed(query)) {
    return (
      <div class="notice">
        <p>
          <strong>No releases found.</strong>{" "}
          {without.length > 0 ? "There are some with fewer filters:" : "Try different words."}
        </p>
        {without.length > 0 && (
          <ul>
            {without.map(({ names, count }) => (
              <li key={names[0]}>
                {link(
                  withoutFilters(query, names),
                  `Without the ${FILTERS[names[0]!]} filter: ${countOf(count, "release")}`,
                )}
              </li>
            ))}
          </ul>
        )}
        <p>
          {link(withoutFilter(query), "Show all releases")} or{" "}
          <a href={`${path}/subscribe${filterQuery(query)}`}>follow this search</a>{" "}
          to hear when something comes.
        </p>
      </div>
    );
  }
  return (
    <div class="notice">
      <p>
        <strong>No releases yet.</strong> The roadmap is empty.
      </p>
    </div>
  );
}

/** Links to the pages of a list: those beside this one, the first and the last. */
function Pages({ path, query, answer: { page, totalPages }, turnTo }: {
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
