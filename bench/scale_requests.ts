import { PRODUCTS, VOCABULARY } from "./generate_items.ts";
import type { Random } from "./seed_random.ts";

/** A request of the load. */
export interface DrawnRequest {
  readonly kind: string;
  readonly path: string;
  /** Sent with the entity tag that the client got last. */
  readonly isConditional?: boolean;
}

const TYPES = ["", "General availability", "Preview", "Private preview"];
const QUARTERS = ["", "Q1 2026", "Q3 2026", "Q1 2027", "Q3 2027"];
/** What most people open first. */
const PAGES = ["/", "/changelog", "/?view=board", "/?release_status=Planned", "/subscribe"];
const COLLECTIONS = [
  "/api/releases",
  "/api/releases?page_size=200",
  "/api/filter-options",
  "/api/changes",
];
const FEEDS = ["/rss", "/atom.xml", "/feed.json"];

/** The kinds of requests with their shares of all; each draws a path. */
const KINDS: readonly (readonly [
  kind: string,
  share: number,
  draw: (random: Random, ids: readonly string[]) => string,
])[] = [
  ["Page, a frequent one", 0.2, (random) => pick(random, PAGES)],
  ["Page, unless changed", 0.15, (random) => pick(random, PAGES)],
  [
    "Page of a release",
    0.2,
    (random, ids) => `/release/${ids[Math.floor(random() ** 2 * ids.length)]!}`,
  ],
  ["Page with filters", 0.1, (random) => `/?${drawFilter(random)}&page=${drawPage(random)}`],
  ["API, a frequent one", 0.1, (random) => pick(random, COLLECTIONS)],
  [
    "API, filters",
    0.1,
    (random) => `/api/releases?${drawFilter(random)}&page=${drawPage(random)}`,
  ],
  [
    "API, changelog",
    0.05,
    (random) =>
      `/api/changelog?days=${1 + Math.floor(random() * 30)}&product_name=${drawProduct(random)}`,
  ],
  [
    "Feed",
    0.1,
    (random) => `${pick(random, FEEDS)}${random() < 0.5 ? "" : `?${drawFilter(random)}`}`,
  ],
];

/** The kind of request that its own clients send. */
export const SEARCH = "Search, a new word";
/** The names of all kinds, in the order of a report. */
export const KIND_NAMES: readonly string[] = [...KINDS.map(([kind]) => kind), SEARCH];

/** Draws one request of the mix. */
export function drawRequest(random: Random, ids: readonly string[]): DrawnRequest {
  let left = random();
  const [kind, , draw] = KINDS.find(([, share]) => (left -= share) < 0) ?? KINDS[0]!;
  return { kind, path: draw(random, ids), isConditional: kind === "Page, unless changed" };
}

/** Searches for parts of words, each another one: four to seven characters from any place. */
export function listSearches(): DrawnRequest[] {
  const parts = VOCABULARY.flatMap((word) =>
    [4, 5, 6, 7].flatMap((length) =>
      Array.from(
        { length: Math.max(0, word.length - length + 1) },
        (_, from) => word.slice(from, from + length),
      )
    )
  );
  return [...new Set(parts)].map((q, number) => ({
    kind: SEARCH,
    path: number % 2 ? `/api/releases?q=${q}` : `/search.json?q=${q}`,
  }));
}

/** A product, mostly with a type or from a quarter on: some 280 of them. */
function drawFilter(random: Random): string {
  const filter = { release_type: pick(random, TYPES), release_date_from: pick(random, QUARTERS) };
  const chosen = Object.entries(filter).filter(([, value]) => value !== "");
  return [`product_name=${drawProduct(random)}`, ...chosen.map(pairOf)].join("&");
}

function pairOf([name, value]: [string, string]): string {
  return `${name}=${encodeURIComponent(value)}`;
}

function drawProduct(random: Random): string {
  return encodeURIComponent(pick(random, PRODUCTS));
}

/** Mostly the first one. */
function drawPage(random: Random): number {
  return 1 + Math.floor(random() ** 4 * 10);
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)]!;
}
