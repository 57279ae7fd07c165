import type { Ref } from "preact";
import { countOf } from "../lib/text/count_of.ts";
import { Board } from "./board.tsx";
import { FollowMenu } from "./follow_menu.tsx";
import { Pages } from "./pages.tsx";
import { ReleaseCard } from "./release_card.tsx";
import type { SearchAnswer } from "./search_answer.ts";
import { EMPTY_QUERY, isNarrowed, searchAddress, type SearchQuery } from "./search_query.ts";
import { staysHere } from "./stays_here.ts";
import type { SearchState } from "./use_search.ts";

interface ResultsProps {
  path: string;
  /** Of the site, absolute. */
  url: string;
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
  state: SearchState;
  heading: Ref<HTMLHeadingElement>;
  on: {
    change(part: Partial<SearchQuery>): void;
    turnTo(page: number): void;
    again(): void;
  };
}

/** The results: their number, the kind of search, and a page of them as a list or a board. */
export function Results(
  { path, url, quarter, query, answer, state, heading, on }: ResultsProps,
) {
  const isBoard = query.view === "board";
  return (
    <section class="results" aria-labelledby="results-heading" aria-busy={state.name === "loading"}>
      <div class="results-head">
        <div>
          <h2 id="results-heading" tabIndex={-1} ref={heading}>Releases</h2>
          <p class="count" role="status">
            {state.name === "loading" ? "Searching…" : countInWords(answer)}
            {answer.byMeaning && state.name === "ready" && (
              <span class="badge meaning">by meaning</span>
            )}
          </p>
        </div>
        <div class="results-ways">
          <FollowMenu
            label="Follow"
            url={url}
            path={path}
            filter={query}
            page={searchAddress("", { ...query, page: 1 })}
          />
          <ViewSwitch
            path={path}
            query={query}
            onPick={(view) =>
              on.change({ view })}
          />
        </div>
      </div>
      {state.name === "failed"
        ? <Failure message={state.message} again={on.again} />
        : answer.items.length === 0
        ? <Nothing path={path} query={query} answer={answer} on={on} />
        : isBoard
        ? <Board path={path} quarter={quarter} query={query} answer={answer} />
        : (
          <ul class="cards">
            {answer.items.map((item) => (
              <ReleaseCard key={item.release_item_id} path={path} item={item} q={query.q} />
            ))}
          </ul>
        )}
      {state.name !== "failed" && (
        <Pages path={path} query={query} answer={answer} turnTo={on.turnTo} />
      )}
    </section>
  );
}

function ViewSwitch({ path, query, onPick }: {
  path: string;
  query: SearchQuery;
  onPick(view: string): void;
}) {
  return (
    <nav class="switch" aria-label="View">
      {[["", "List"], ["board", "Board"]].map(([view = "", label]) => (
        <a
          key={view}
          href={searchAddress(path, { ...query, view, page: 1 })}
          aria-current={query.view === view ? "true" : undefined}
          onClick={staysHere(() => onPick(view))}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}

function Failure({ message, again }: { message: string; again(): void }) {
  return (
    <div class="notice problem" role="alert">
      <p>
        <strong>The search could not be done.</strong> {message}
      </p>
      <button type="button" onClick={again}>Try again</button>
    </div>
  );
}

function Nothing(
  { path, query, answer, on }: Pick<ResultsProps, "path" | "query" | "answer" | "on">,
) {
  if (answer.total > 0) return <p class="notice">There are no more releases on this page.</p>;
  const all = { ...EMPTY_QUERY, view: query.view };
  return (
    <div class="notice">
      <p>
        <strong>Nothing found.</strong> {isNarrowed(query)
          ? "Try other words, or fewer filters."
          : "The roadmap holds no release yet."}
      </p>
      {!isNarrowed(query) && (
        <p>
          Whoever runs this site can import one with{" "}
          <code>deno task import FILE-OR-URL</code>, have one read on a schedule by setting{" "}
          <code>ROADMAP_SOURCE</code>, or look around first with{" "}
          <code>deno task start --sample</code>.
        </p>
      )}
      {isNarrowed(query) && (
        <a
          href={searchAddress(path, all)}
          onClick={staysHere(() => on.change(all))}
        >
          Show all releases
        </a>
      )}
    </div>
  );
}

function countInWords({ total, page, totalPages }: SearchAnswer): string {
  const releases = countOf(total, "release");
  return totalPages > 1 ? `${releases}, page ${page} of ${totalPages}` : releases;
}
