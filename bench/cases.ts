import { MARKED, PRODUCTS, VOCABULARY } from "./data/generate_items.ts";

/** What a response is compared with. */
export type Limit =
  /** A bare `Deno.serve` handler that returns the same bytes and headers. */
  | "bare"
  /** A `Deno.serve` handler that queries the page and its count each time. */
  | "handler"
  /** The same database queries, without HTTP. */
  | "queries";

/** One kind of request that is measured. */
export interface Case {
  name: string;
  /** Paths that are requested once each; a single one is requested repeatedly. */
  paths: readonly string[];
  headers?: Readonly<Record<string, string>>;
  status?: number;
  limits: readonly Limit[];
  /** Only on a roadmap of at least this many items. */
  atLeast?: number;
}

const FIRST_PAGE = "/api/releases";
const SIZES = numbers(20, 100);
const SORTS = ["last_modified", "release_date"];

/** Pages that no case requests. */
export const WARM_UP_PATHS: readonly string[] = pages({}, numbers(1, 3), numbers(101, 140));

/** Every case, in the order in which it is printed. */
export function makeCases(ids: readonly string[], etag: string): Case[] {
  return [
    { name: "Collection, kept", paths: [FIRST_PAGE], limits: ["bare"] },
    {
      name: "Collection, kept, gzip",
      paths: [FIRST_PAGE],
      headers: { "Accept-Encoding": "gzip" },
      limits: ["bare"],
    },
    {
      name: "Collection, 304",
      paths: [FIRST_PAGE],
      headers: { "If-None-Match": etag },
      status: 304,
      limits: ["bare"],
    },
    { name: "First page", paths: pages({}, [1]), limits: ["handler", "queries"] },
    {
      name: "Page 1,500",
      paths: pages({}, [1500], numbers(40, 60)),
      limits: ["handler"],
      atLeast: 100_000,
    },
    {
      name: "Any page",
      paths: pages({}, numbers(1, 12), numbers(20, 80)),
      limits: ["handler", "queries"],
    },
    {
      name: "Filtered page",
      paths: PRODUCTS.flatMap((product_name) => pages({ product_name }, [1], numbers(30, 80))),
      limits: ["handler", "queries"],
    },
    {
      name: "Search, a new word each time",
      paths: fragments().map((q) => `${FIRST_PAGE}?q=${q}`),
      limits: ["handler", "queries"],
    },
    {
      // Compared with a search for the same text as a substring.
      name: "Search by words, new words each time",
      paths: [...fragments(), ...pairs()].map((q) => `${FIRST_PAGE}?match=words&q=${q}`),
      limits: ["handler"],
    },
    { name: "Search, a word of 3 %", paths: pages({ q: MARKED.rare }, [1]), limits: ["handler"] },
    {
      name: "Search, a word of 30 %",
      paths: pages({ q: MARKED.common }, [1]),
      limits: ["handler"],
    },
    {
      name: "Single item",
      paths: ids.map((id) => `${FIRST_PAGE}?release_item_id=${id}`),
      limits: ["queries"],
    },
    { name: "History", paths: ids.map((id) => `${FIRST_PAGE}/history/${id}`), limits: ["queries"] },
    {
      name: "Changelog",
      paths: numbers(1, 90).flatMap((days) =>
        PRODUCTS.map((product) => `/api/changelog?days=${days}&product_name=${encode(product)}`)
      ),
      limits: ["queries"],
    },
    {
      name: "RSS",
      paths: numbers(1, 25).flatMap((limit) =>
        PRODUCTS.map((product) => `/rss?limit=${limit}&product_name=${encode(product)}`)
      ),
      limits: ["queries"],
    },
    { name: "Atom, kept", paths: ["/atom.xml"], limits: ["bare"] },
    { name: "Calendar, kept", paths: ["/calendar.ics"], limits: ["bare"] },
  ];
}

/** Pages of a collection in both orders, with removed items and without, in many sizes. */
function pages(
  filters: Readonly<Record<string, string>>,
  wanted: readonly number[],
  sizes: readonly number[] = SIZES,
): string[] {
  const filter = Object.entries(filters).map(([name, value]) => `${name}=${encode(value)}&`).join(
    "",
  );
  return sizes.flatMap((size) =>
    wanted.flatMap((page) =>
      SORTS.flatMap((sort) =>
        ["false", "true"].map((inactive) =>
          `${FIRST_PAGE}?${filter}sort=${sort}&include_inactive=${inactive}&page=${page}&page_size=${size}`
        )
      )
    )
  );
}

/** Parts of words, of four characters and more: no two searches are the same. */
function fragments(): string[] {
  const parts = VOCABULARY.filter((word) => word.length >= 5).flatMap((word) =>
    numbers(4, word.length).map((length) => word.slice(0, length))
  );
  return [...new Set(parts)];
}

/** Two words each: no two searches are the same. */
function pairs(): string[] {
  const words = VOCABULARY.filter((word) => word.length >= 5);
  return words.slice(1).map((word, place) => `${words[place]}+${word}`);
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function encode(text: string): string {
  return encodeURIComponent(text);
}
