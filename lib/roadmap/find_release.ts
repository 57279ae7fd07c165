import { z } from "zod";
import type { Item } from "./item.ts";
import { uuid } from "../http/requests/parameters.ts";
import { Problem } from "../http/responses/problem.ts";
import type { ItemCache } from "./item_cache.ts";
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
