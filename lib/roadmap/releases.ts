import { z } from "zod";
import type { DataVersion } from "../database/data_version.ts";
import type { Connection } from "../database/database.ts";
import { uuid } from "../http/requests/parameters.ts";
import { Problem } from "../http/responses/problem.ts";
import { AsyncCache } from "../work/async.ts";
import type { ItemFilter } from "./filter/filter.ts";
import type { Item } from "./item.ts";
import { type ItemOrder, NEWEST_FIRST, selectIds } from "./items_sql.ts";
import type { Site } from "./sites.ts";
import { said } from "../text/said.ts";

const BYTES_OF_ID = 16;
const HEX_OF_ID = 32;

/** The ids of all items of a collection, in their order. */
export class Selection {
  constructor(private readonly ids: Uint8Array) {}

  /** A selection of ids that are written out. */
  static of(ids: readonly string[]): Selection {
    return new Selection(Uint8Array.fromHex(ids.join("").replaceAll("-", "")));
  }

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

/** The parameter in the paths of one release. */
export const RELEASE_PATH = z.object({ release_item_id: uuid().describe("Of the release") });

/**
 * Finds one release, removed or not.
 *
 * @throws {Problem} 404 where there is none, or the variant does not show it
 */
export async function findRelease(
  id: string,
  { services, site: { variant } }: { services: { items: ItemCache }; site: Site },
): Promise<Item> {
  const item = await services.items.find(id);
  if (item && (item.active || variant.showsInactive)) return item;
  throw noRelease(id);
}

/** The answer to a request for a release that there is not, or that the variant does not show. */
export function noRelease(id: string): Problem {
  return new Problem(404, said("problem.no_release", { id }));
}

/** What an item takes beside its texts. */
const OVERHEAD_BYTES = 600;

/**
 * Reads items by id and keeps them until the data changes: most pages share most of their items.
 * When they exceed their limit, all are dropped, since tracking their use costs more than reading
 * some again.
 */
export class ItemCache {
  #version = -1;
  #cached = new Map<string, Item>();
  #bytes = 0;

  constructor(
    private readonly readItems: (ids: readonly string[]) => Promise<Item[]>,
    private readonly dataVersion: Pick<DataVersion, "current">,
    private readonly maxBytes: number,
  ) {}

  /** The items with these ids, in the same order; an id without an item is passed over. */
  async read(ids: readonly string[]): Promise<Item[]> {
    const version = this.#follow();
    const items = ids.map((id) => this.#cached.get(id));
    const missing = ids.filter((_, place) => items[place] === undefined);
    if (missing.length === 0) return items as Item[];
    const read = await this.readItems(missing);
    if (version === this.#version) { for (const item of read) this.#keep(item); }
    const byId = new Map(read.map((item) => [item.release_item_id, item]));
    return ids.flatMap((id, place) => items[place] ?? byId.get(id) ?? []);
  }

  /** One item, removed or not. */
  async find(id: string): Promise<Item | null> {
    this.#follow();
    return this.#cached.get(id) ?? (await this.read([id]))[0] ?? null;
  }

  /** The data version that is kept from now on. */
  #follow(): number {
    const { current: version } = this.dataVersion;
    if (version !== this.#version) this.#forgetAll(version);
    return version;
  }

  #keep(item: Item): void {
    if (this.#cached.has(item.release_item_id)) return;
    const bytes = sizeOf(item);
    if (bytes > this.maxBytes) return;
    if (this.#bytes + bytes > this.maxBytes) this.#forgetAll(this.#version);
    this.#cached.set(item.release_item_id, item);
    this.#bytes += bytes;
  }

  #forgetAll(version: number): void {
    this.#version = version;
    this.#cached = new Map();
    this.#bytes = 0;
  }
}

/** An estimate, in bytes: most of it are the texts, with up to two for each character. */
function sizeOf({ feature_name, feature_description, blog_title, blog_url }: Item): number {
  const texts = [feature_name, feature_description, blog_title, blog_url];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0) * 2, OVERHEAD_BYTES);
}
