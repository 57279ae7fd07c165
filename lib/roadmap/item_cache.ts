import { z } from "zod";
import type { DataVersion } from "../database/data_version.ts";
import { uuid } from "../http/requests/parameters.ts";
import { Problem } from "../http/responses/problem.ts";
import type { Item } from "./item.ts";
import type { Site } from "./sites.ts";

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
  return new Problem(404, `There is no release with the id ${id}`);
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
