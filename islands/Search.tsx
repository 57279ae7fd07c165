import { Component, type ComponentChildren, createRef } from "preact";
import { isTouched } from "../components/is_touched.ts";
import { Count, Results, type SearchState } from "../components/search/results.tsx";
import { type Choices, SearchForm } from "../components/search/search_form.tsx";
import { Tools } from "../components/search/tools.tsx";
import {
  answerAddress,
  fetchAnswer,
  filterQuery,
  readSearch,
  searchAddress,
  type SearchAnswer,
  SearchError,
  type SearchQuery,
  type ShownSearch,
} from "../components/search/search_query.ts";

interface SearchProps {
  /** Of the site, as in `/b` */
  path: string;
  siteName: string;
  choices: Choices;
  /** The quarter of today, `Q4 2026`. */
  quarter: string;
  query: SearchQuery;
  answer: SearchAnswer;
}

/** What is shown. */
interface Shown {
  query: SearchQuery;
  answer: SearchAnswer;
  state: SearchState;
}

/** How long a search waits after the last key press. */
const TYPING_PAUSE_MS = 180;

/**
 * The search of the roadmap: a plain form that updates the results while one types. Its state is in the
 * address bar, and the newest search wins. It is a class because hooks would weigh more than all of it.
 */
export default class Search extends Component<SearchProps, Shown> {
  override state: Shown = {
    query: this.props.query,
    answer: this.props.answer,
    state: { name: "ready" },
  };
  #early = readEarly();
  #heading = createRef<HTMLHeadingElement>();
  #running?: AbortController;
  #isTyping = false;
  /** The query of the address that is shown. */
  #shown = "";

  override componentDidMount(): void {
    this.#shown = location.search;
    if (this.#early) this.#change(this.#early);
    addEventListener("popstate", () => this.#goBack());
    // The field is in the header, which Escape empties.
    document.addEventListener("typed", ({ detail }: CustomEventInit<string>) => {
      this.#change({ q: detail! }, true);
    });
    this.#tellFrame();
  }

  // With the results, not a paint later: a visitor may save the page or go on before.
  override componentDidUpdate(_: SearchProps, before: Shown): void {
    const { query, answer } = this.state;
    if (query !== before.query || answer !== before.answer) this.#tellFrame();
    // What was typed before the script came stays: it becomes the search.
    if (query.q !== before.query.q) tell("searched", query.q);
  }

  /** The frame of the page has the title, the feeds and the search field (scripts/frame.ts). */
  #tellFrame(): void {
    const { siteName } = this.props;
    const { query, answer } = this.state;
    const named = (words: string) => words ? `${words} · ${siteName}` : siteName;
    const shown: ShownSearch = {
      title: named(answer.said.title),
      query: filterQuery({ ...query, ...answer.also }),
      feeds: named(answer.said.feeds),
    };
    tell("shown", shown);
  }

  async #run(wanted: SearchQuery, pauseMs = 0): Promise<void> {
    this.#running?.abort();
    const { signal } = this.#running = new AbortController();
    this.setState({ state: { name: "loading" } });
    try {
      if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const answer = await fetchAnswer(answerAddress(this.props.path, wanted), signal);
      if (signal.aborted) return;
      this.setState({ answer, query: { ...wanted, ...answer.bounds }, state: { name: "ready" } });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof SearchError)) throw error;
      this.setState({ state: { name: "failed", message: error.message } });
    }
  }

  /** Starts another search, which waits while one types. A run of typing is one entry of the history. */
  #change(part: Partial<SearchQuery>, isTyping = false): void {
    const query = { ...this.state.query, page: 1, ...part };
    this.setState({ query });
    const step = isTyping && this.#isTyping ? "replaceState" : "pushState";
    history[step](null, "", searchAddress(this.props.path, query));
    this.#shown = location.search;
    this.#isTyping = isTyping;
    void this.#run(query, isTyping ? TYPING_PAUSE_MS : 0);
  }

  #goBack(): void {
    // A link within the page, such as the one that skips to the results, keeps what is shown.
    if (location.search === this.#shown) return;
    this.#shown = location.search;
    const query = readSearch(new URLSearchParams(location.search));
    this.#isTyping = false;
    this.setState({ query });
    void this.#run(query);
  }

  override render(
    { path, choices, quarter }: SearchProps,
    { query, answer, state }: Shown,
  ): ComponentChildren {
    const heading = this.#heading;
    const change = (part: Partial<SearchQuery>) => this.#change(part);
    const again = () => void this.#run(query);
    const show = () => heading.current?.focus();
    const changeAndGo = (part: Partial<SearchQuery>) => {
      change(part);
      show();
    };
    const shared = { path, quarter, query, answer };
    return (
      <div class="search">
        <Count query={query} answer={answer} state={state} />
        <div class="toolbar">
          <SearchForm {...shared} choices={choices} on={{ change, again, show }} />
          <Tools {...shared} onPick={change} />
        </div>
        <Results {...shared} state={state} heading={heading} on={{ changeAndGo, again }} />
      </div>
    );
  }
}

function tell(name: string, detail: unknown): void {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** What was typed and chosen before the script came; null: nothing. */
function readEarly(): SearchQuery | null {
  const form = globalThis.document?.querySelector<HTMLFormElement>("#search-form");
  if (!form || !isTouched(form)) return null;
  const fields = new URLSearchParams([...new FormData(form)] as [string, string][]);
  return { ...readSearch(fields), q: fields.get("q") ?? "" };
}
