import { useLayoutEffect, useRef, useState } from "preact/hooks";
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

/** The search of the roadmap: a plain form that updates the results while one types. */
export default function Search(
  { path, siteName, choices, quarter, ...first }: SearchProps,
) {
  const { query, answer, state, change, type, again } = useSearch(path, first);
  const heading = useRef<HTMLHeadingElement>(null);
  const focusResults = () => heading.current?.focus();

  // With the results, not a paint later: a visitor may save the page or go on before.
  useLayoutEffect(() => {
    const named = (words: string) => words ? `${words} · ${siteName}` : siteName;
    tellFrame({
      title: named(answer.said.title),
      query: filterQuery({ ...query, ...answer.also }),
      feeds: named(answer.said.feeds),
    });
  }, [query, answer]);
  useSearchField(query.q, type);

  function changeAndGo(part: Partial<SearchQuery>): void {
    change(part);
    focusResults();
  }

  const shared = { path, quarter, query, answer };
  return (
    <div class="search">
      <Count query={query} answer={answer} state={state} />
      <div class="toolbar">
        <SearchForm {...shared} choices={choices} on={{ change, again, show: focusResults }} />
        <Tools {...shared} onPick={change} />
      </div>
      <Results {...shared} state={state} heading={heading} on={{ changeAndGo, again }} />
    </div>
  );
}

/** The frame of the page has the title, the feeds and the search field (scripts/frame.ts). */
function tellFrame(shown: ShownSearch): void {
  document.dispatchEvent(new CustomEvent("shown", { detail: shown }));
}

/** How long a search waits after the last key press. */
const TYPING_PAUSE_MS = 180;

/** The search of a page: its state is in the address bar, and the newest search wins. */
function useSearch(path: string, first: { query: SearchQuery; answer: SearchAnswer }) {
  const [query, setQuery] = useState(first.query);
  const [answer, setAnswer] = useState(first.answer);
  const [state, setState] = useState<SearchState>({ name: "ready" });
  const running = useRef<AbortController>(null);
  const typing = useRef(false);
  /** The query of the address that is shown. */
  const shown = useRef("");
  const [early] = useState(readEarly);

  async function run(wanted: SearchQuery, pauseMs = 0): Promise<void> {
    running.current?.abort();
    const own = running.current = new AbortController();
    setState({ name: "loading" });
    try {
      if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const found = await fetchAnswer(answerAddress(path, wanted), own.signal);
      if (own.signal.aborted) return;
      setAnswer(found);
      setQuery({ ...wanted, ...found.bounds });
      setState({ name: "ready" });
    } catch (error) {
      if (own.signal.aborted) return;
      if (!(error instanceof SearchError)) throw error;
      setState({ name: "failed", message: error.message });
    }
  }

  /** One run of typing is one entry of the browser's history. */
  function change(part: Partial<SearchQuery>, isTyping = false): void {
    const wanted = { ...query, page: 1, ...part };
    setQuery(wanted);
    const step = isTyping && typing.current ? "replaceState" : "pushState";
    history[step](null, "", searchAddress(path, wanted));
    shown.current = location.search;
    typing.current = isTyping;
    void run(wanted, isTyping ? TYPING_PAUSE_MS : 0);
  }

  // In a layout effect, which runs before a visitor can change the search and then go back.
  useLayoutEffect(() => {
    shown.current = location.search;
    if (early) change(early);
    const goBack = () => {
      // A link within the page, such as the one that skips to the results, keeps what is shown.
      if (location.search === shown.current) return;
      shown.current = location.search;
      const wanted = readSearch(new URLSearchParams(location.search));
      typing.current = false;
      setQuery(wanted);
      void run(wanted);
    };
    addEventListener("popstate", goBack);
    return () => removeEventListener("popstate", goBack);
  }, []);

  return {
    query,
    answer,
    state,
    /** Starts another search immediately. */
    change: (part: Partial<SearchQuery>): void => change(part),
    /** Searches for the words when the typing pauses; a running search is already out of date. */
    type: (q: string): void => change({ q }, true),
    /** Repeats the search, as when Enter is pressed. */
    again: (): void => void run(query),
  };
}

/** What was typed and chosen before the script came; null: nothing. */
function readEarly(): SearchQuery | null {
  const form = globalThis.document?.querySelector<HTMLFormElement>("#search-form");
  if (!form || !isTouched(form)) return null;
  const fields = new URLSearchParams([...new FormData(form)] as [string, string][]);
  return { ...readSearch(fields), q: fields.get("q") ?? "" };
}

/** Searches while one types in the field of the header, which Escape empties. */
function useSearchField(q: string, type: (q: string) => void): void {
  const latest = useRef(type);
  latest.current = type;
  useLayoutEffect(() => {
    const search = (event: Event) => latest.current((event as CustomEvent<string>).detail);
    document.addEventListener("typed", search);
    return () => document.removeEventListener("typed", search);
  }, []);
  // What was typed before the script came stays: it becomes the search.
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    if (!isFirst.current) document.dispatchEvent(new CustomEvent("searched", { detail: q }));
    isFirst.current = false;
  }, [q]);
}
