import { AsyncCache } from "../work/single_flight.ts";
import type { Connection } from "../database/database.ts";
import type { DataVersion } from "../database/data_version.ts";
import type { ItemFilter } from "./filter/filter.ts";
import { type ItemOrder, NEWEST_FIRST, selectIds } from "./items_sql.ts";

const BYTES_OF_ID = 16;
const HEX_OF_ID = 32;

/** The ids of all items of a collection, in their order. */
export class Selection {
  constructor(private readonly ids: Uint8Array) {}

  /** A selection of ids that are written out. */
  static of(ids: readonly string[]): Selection {
    return new Selection(Uint8Array.fromHex(ids.join("").replaceAll("-", "")));
  }

  /** How many items there are. */
  get count(): number {
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

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
    /** The most bytes of ids. */
    maxBytes: number,
  ) {
    this.#cache = new AsyncCache({
      maxSize: maxBytes,
      sizeCalculation: (selection, key) => selection.bytes + key.length * 2 + 200,
    });
  }

  /** The items that pass a filter, in order. */
  select(filter: ItemFilter, order: ItemOrder = NEWEST_FIRST): Promise<Selection> {
    return this.keep(
      [order, filter],
      async () => new Selection(await selectIds(this.database, filter, order)),
    );
  }

  /** Keeps what was selected in another way under a key that says all that it depends on but the data. */
  keep(question: unknown, make: () => Promise<Selection>): Promise<Selection> {
    return this.#cache.get(JSON.stringify([this.dataVersion.current, question]), make);
  }
}
