import type { CachedRead, DataCache } from "../database/data_cache.ts";
import type { DataVersion } from "../database/data_version.ts";
import type { Connection } from "../database/database.ts";
import { fold } from "../text/match_words.ts";
import { AsyncCache } from "../work/async_cache.ts";
import type { ItemFilter } from "./filter/filter.ts";
import {
  countFiltered,
  type ItemOrder,
  NEWEST_FIRST,
  readSearchTexts,
  type SearchText,
  selectIds,
} from "./items_sql.ts";
import { selectBest } from "./words/rank_words_sql.ts";

/** The first matches are searched among this many items, or fewer if their texts are longer. */
const LOOKED_THROUGH = 1_000;
const LOOKED_THROUGH_BYTES = 1024 * 1024;
/** Only the first page of the usual size is worth it. */
const MAX_FIRST = 50;
const BYTES_OF_ID = 16;
const HEX_OF_ID = 32;

/** The ids of all items of a collection, in their order. */
export class Selection {
  /** @param count how many items there are, where only the first of them are known */
  constructor(
    private readonly ids: Uint8Array,
    readonly count: number = ids.length / BYTES_OF_ID,
  ) {}

  /** A selection of ids that are written out. */
  static of(ids: readonly string[], count?: number): Selection {
    return new Selection(Uint8Array.fromHex(ids.join("").replaceAll("-", "")), count);
  }

  /** How many items, from the first on, are known. */
  get known(): number {
    return this.ids.length / BYTES_OF_ID;
  }

  get bytes(): number {
    return this.ids.length;
  }

  /** The ids from a place (counted from 0) up to, not including, another one. */
  slice(start: number, end: number): string[] {
    const hex = this.ids.subarray(start * BYTES_OF_ID, end * BYTES_OF_ID).toHex();
    return Array.from({ length: hex.length / HEX_OF_ID }, (_, index) => {
      const at = (from: number, to: number) =>
        hex.slice(index * HEX_OF_ID + from, index * HEX_OF_ID + to);
      return `${at(0, 8)}-${at(8, 12)}-${at(12, 16)}-${at(16, 20)}-${at(20, 32)}`;
    });
  }
}

/**
 * Finds the items of a collection, and caches the result until the data changes: with many items
 * counting and skipping are expensive, and every page of a collection needs them.
 */
export class Selections {
  readonly #cache: AsyncCache<Selection>;
  readonly #firstTexts: AsyncCache<readonly SearchText[]>;

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
    /** The most bytes of ids, and of the texts of the first items of some collections. */
    memory: { selections: number; searchTexts: number },
    /** From this many items on, the first matches of a search are fetched separately. */
    private readonly large = 10_000,
  ) {
    this.#cache = new AsyncCache({
      maxSize: memory.selections,
      sizeCalculation: (selection, key) => selection.bytes + key.length * 2 + 200,
    });
    this.#firstTexts = new AsyncCache({
      maxSize: memory.searchTexts,
      sizeCalculation: (texts) =>
        texts.reduce((sum, { search_text }) => sum + search_text.length * 2 + 200, 1),
    });
  }

  /**
   * The items that pass a filter, in order; where only those up to a place are needed, there may be
   * no more than those.
   */
  async select(
    filter: ItemFilter,
    order: ItemOrder = NEWEST_FIRST,
    { end = Infinity }: { end?: number } = {},
  ): Promise<Selection> {
    const first = await this.#selectFirst(filter, order, end);
    return first && Math.min(end, first.count) <= first.known
      ? first
      : await this.#selectAll(filter, order);
  }

  /**
   * The first matches of a frequent text: they are found in memory, among the first items of the same
   * collection without it, and all others need only be counted, not sorted. Of words, only the first
   * matches are sorted. Null where that is no gain.
   */
  async #selectFirst(filter: ItemFilter, order: ItemOrder, end: number): Promise<Selection | null> {
    const { q, words, ...others } = filter;
    if (q === undefined || end > MAX_FIRST) return null;
    if (words ? order.sort !== "relevance" : order.sort === "relevance") return null;
    const whole = await this.#selectAll(others, words ? NEWEST_FIRST : order);
    if (whole.count < this.large) return null;
    const key = ["first", order.sort, order.order, filter];
    if (words) {
      return await this.keep(key, async () => {
        const { ids, count } = await selectBest(this.database, { ...filter, words }, MAX_FIRST);
        return Selection.of(ids, count);
      });
    }
    const texts = await this.#firstTexts.get(
      this.#keyOf([order.sort, order.order, others]),
      () => readSearchTexts(this.database, whole.slice(0, LOOKED_THROUGH), LOOKED_THROUGH_BYTES),
    );
    const ids = findFirst(texts, fold(q));
    if (ids.length < MAX_FIRST) return null;
    return await this.keep(
      key,
      async () => Selection.of(ids, await countFiltered(this.database, filter)),
    );
  }

  #selectAll(filter: ItemFilter, order: ItemOrder): Promise<Selection> {
    return this.keep(
      [order, filter],
      async () => new Selection(await selectIds(this.database, filter, order)),
    );
  }

  /** Keeps what was selected in another way under a key that says all that it depends on but the data. */
  keep(question: unknown, make: () => Promise<Selection>): Promise<Selection> {
    return this.#cache.get(this.#keyOf(question), make);
  }

  #keyOf(question: unknown): string {
    return JSON.stringify([this.dataVersion.current, question]);
  }
}

/** The first items whose text holds the folded words. */
function findFirst(texts: readonly SearchText[], words: string): string[] {
  const ids: string[] = [];
  for (const { release_item_id, search_text } of texts) {
    if (search_text.includes(words)) ids.push(release_item_id);
    if (ids.length === MAX_FIRST) break;
  }
  return ids;
}

/** What the items of one page take at most, in bytes of their texts; one item stands in any case. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The largest page size. */
const MAX_ITEMS = 200;
/** What an item takes beside its texts: names of fields, ids, dates. */
const OVERHEAD_BYTES = 600;

/** A size of pages, and what the largest of these pages can take. */
interface PageSize {
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
