import { excerptFor } from "../lib/roadmap/found_item.ts";

/** A release in the list and on the board. */
export interface FoundItem {
  release_item_id: string;
  feature_name: string;
  /** A quarter or a day, depending on the variant. */
  release_date: string | null;
  release_type: string;
  release_status: string;
  product_name: string;
  /** Of the description, as plain text. */
  excerpt: string;
  last_modified: string;
  active?: boolean;
}

/** A page of results. */
export interface SearchAnswer {
  items: readonly FoundItem[];
  total: number;
  page: number;
  totalPages: number;
  /** The search was by meaning, not by substring. */
  byMeaning: boolean;
}

/** The search failed; the message is for a person. */
export class SearchError extends Error {}

/** Queries the API, and throws a SearchError if it does not return results. */
export async function fetchAnswer(
  address: string,
  { words, signal }: { words: string; signal: AbortSignal },
): Promise<SearchAnswer> {
  const response = await askServer(address, signal);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new SearchError(body.detail ?? `The server answered with status ${response.status}.`);
  }
  const { data, pagination } = body;
  return {
    items: data.map((item: FoundItem & { feature_description: string | null }) => ({
      ...item,
      excerpt: excerptFor(item.feature_description, words),
    })),
    total: pagination.total_items,
    page: pagination.page,
    totalPages: pagination.total_pages,
    byMeaning: response.headers.get("x-search-mode") === "semantic",
  };
}

/** The browser's cache may be hours old, so the server is always asked to revalidate. */
async function askServer(address: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(address, { signal, cache: "no-cache" });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new SearchError("The server cannot be reached.");
  }
}
