import type { ComponentType, RefObject } from "preact";
import type { QuarterViewProps } from "../quarters/quarter_view.ts";
import { countOf } from "../../lib/text/count_of.ts";
import { Chips } from "./chips.tsx";
import { Nothing } from "./nothing.tsx";
import { Pages } from "./pages.tsx";
import { ReleaseList } from "./release_list.tsx";
import type { SearchAnswer } from "./search_answer.ts";
import { searchParameters, type SearchQuery } from "./search_query.ts";
import { CopyForEmail } from "../copy_for_email.tsx";
import { SortMenu } from "./sort_menu.tsx";
import { searchLink } from "./search_link.ts";
import { Board } from "../quarters/board.tsx";
import { Timeline } from "../quarters/timeline.tsx";
import type { SearchState } from "./use_search.ts";

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
