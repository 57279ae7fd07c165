import type { FilterName, ListName } from "../../lib/roadmap/filter/filter_values.ts";
import type { QuarterCount } from "../../lib/roadmap/item.ts";
import type { BoardGrid, TimelineGrid } from "../../lib/roadmap/quarters/quarter_grid.ts";
import type { Marks } from "../../lib/text/mark_words.ts";
import type { StatusTone } from "../../lib/roadmap/status_tone.ts";

/** A release in a list. */
export interface FoundItem {
  release_item_id: string;
  feature_name: string;
  /** A quarter or a day, depending on the variant. */
  release_date: string | null;
  /** The date from which it last moved; absent: it did not, or is not awaited any more. */
  moved_from?: string;
  release_type: string;
  release_status: string;
  /** How far along it is, by the words of its status. */
  tone: StatusTone;
  product_names: readonly string[];
  /** Of the description, as plain text. */
  excerpt: string;
  last_modified: string;
  active?: boolean;
}

/** What a search has found, and what each further choice would find. */
export interface SearchAnswer {
  /** The view that it is for: `board`, `timeline`, or empty: a list. */
  view: string;
  /** A page of the list. */
  items: readonly FoundItem[];
  /** What a timeline shows. */
  timeline?: TimelineGrid;
  /** What a board shows. */
  board?: BoardGrid;
  total: number;
  page: number;
  totalPages: number;
  /** How the words were searched; null: there were none. */
  mode: "semantic" | "related" | "words" | "similar" | "any-word" | "substring" | null;
  /** What is marked in the releases. */
  marks?: Marks;
  /** The dates that a phrase among the words asks for, and the words without it. */
  dates?: Readonly<Record<"rest" | "release_date_from" | "release_date_to" | "due", string>>;
  /** Where nothing was found: how many releases there are without one of the filters. */
  without?: readonly { names: readonly FilterName[]; count: number }[];
  /** By parameter and value: how many releases there would be with that value chosen. */
  counts: Readonly<Record<ListName, Readonly<Record<string, number>>>>;
  /** Lists of which further spellings were searched, with all of them. */
  also?: Readonly<Partial<Record<ListName, readonly string[]>>>;
  /** The same for each quarter. */
  quarters: readonly QuarterCount[];
}

/** The search failed; the message is for a person. */
export class SearchError extends Error {}

/** Fetches the answer of a search, and throws a SearchError if there is none. */
export async function fetchAnswer(address: string, signal: AbortSignal): Promise<SearchAnswer> {
  const response = await requestAnswer(address, signal);
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new SearchError(body.detail ?? `The server responded with status ${response.status}.`);
}

/** The browser's cache may be out of date, so the server is always asked to revalidate. */
async function requestAnswer(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { signal, cache: "no-cache" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new SearchError("Cannot reach the server.");
  }
}
