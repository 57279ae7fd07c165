import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { isTouched } from "../is_touched.ts";
import { fetchAnswer, type SearchAnswer, SearchError } from "./search_answer.ts";
import { answerAddress, readSearch, searchAddress, type SearchQuery } from "./search_query.ts";

/** How long a search waits after the last key press. */
const TYPING_PAUSE_MS = 180;

export type SearchState =
  | { name: "ready" }
  | { name: "loading" }
  | { name: "failed"; message: string };

/** The search of a page: its state is in the address bar, and the newest search wins. */
export function useSearch(path: string, first: { query: SearchQuery; answer: SearchAnswer }) {
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

  // As soon as a search can be changed, so that no step back is missed.
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
