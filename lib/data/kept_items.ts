import { LRUCache } from "lru-cache";
import type { Item } from "../format/item.ts";
import type { Connection } from "./database.ts";
import type { DataVersion } from "./data_version.ts";
import { readItems } from "./items.ts";

const MAX_BYTES = 8 * 1024 * 1024;
/** What an item takes beside its texts. */
const OVERHEAD_BYTES = 600;

/** Reads items by id and keeps them until the data changes: most pages share most of their items. */
export class KeptItems {
  #version = -1;
  #kept = makeCache();

  constructor(
    private readonly database: Connection,
    private readonly dataVersion: Pick<DataVersion, "current">,
  ) {}

  /** The items with these ids, in the same order; an id without an item is passed over. */
  async read(ids: readonly string[]): Promise<Item[]> {
    const kept = this.#keptNow();
    const found = new Map(ids.map((id) => [id, kept.get(id)]));
    const missing = ids.filter((id) => found.get(id) === undefined);
    if (missing.length > 0) {
      for (const item of await readItems(this.database, missing)) {
        found.set(item.release_item_id, item);
        kept.set(item.release_item_id, item);
      }
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** One item, removed or not. */
  async find(id: string): Promise<Item | null> {
    const [item] = await this.read([id]);
    return item ?? null;
  }

  /** Work that began before the data changed goes on filling what nobody looks at any more. */
  #keptNow(): LRUCache<string, Item> {
    const { current } = this.dataVersion;
    if (current !== this.#version) {
      this.#version = current;
      this.#kept = makeCache();
    }
    return this.#kept;
  }
}

function makeCache(): LRUCache<string, Item> {
  return new LRUCache({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });
}

/** An estimate, in bytes: texts outside Latin-1 take two for each character. */
function sizeOf({ feature_name, feature_description, blog_title, blog_url }: Item): number {
  const texts = [feature_name, feature_description, blog_title, blog_url];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0) * 2, OVERHEAD_BYTES);
}
