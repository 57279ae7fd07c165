import type { CachedRead, DataCache } from "../database/data_cache.ts";

/** What the items of one page take at most, in bytes of their texts; one item stands in any case. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The largest page size. */
const MAX_ITEMS = 200;
/** What an item takes beside its texts: names of fields, ids, dates. */
const OVERHEAD_BYTES = 600;

/** A size of pages, and what the largest of these pages can take. */
export interface PageSize {
  items: number;
  bytes: number;
}

/**
 * Determines how many items a page can hold, whichever they are. All pages of a roadmap have the
 * same size, so consecutive pages neither repeat nor skip an item.
 */
export class PageSizes {
  readonly #largest: CachedRead<number[]>;

  /** @param readLargest what the texts of the largest items take at most, in bytes, sorted */
  constructor(
    readLargest: (limit: number) => Promise<number[]>,
    dataCache: DataCache,
  ) {
    this.#largest = dataCache.reader("largest releases", () => readLargest(MAX_ITEMS));
  }

  /** The wanted size, or the next smaller one that is possible. */
  async fit(wanted: number): Promise<PageSize> {
    const largest = await this.#largest.read();
    const size = { items: 1, bytes: OVERHEAD_BYTES + (largest[0] ?? 0) };
    while (size.items < wanted) {
      const bytes = size.bytes + OVERHEAD_BYTES + (largest[size.items] ?? 0);
      if (bytes > MAX_BYTES) break;
      size.items++;
      size.bytes = bytes;
    }
    return size;
  }
}
