import type { CollectionQuery } from "../roadmap/collection.ts";
import { type Filter, resolveFilter } from "../roadmap/filter/filter.ts";
import { LIST_NAMES } from "../roadmap/filter/filter_values.ts";
import { countFiltered } from "../roadmap/items_sql.ts";
import { isoDate } from "../text/dates.ts";
import { findReleases, type SearchContext } from "./find_releases.ts";

/** Filters that are taken off together. */
const FILTERS: readonly (readonly (keyof Filter)[])[] = [
  ...LIST_NAMES.map((name) => [name]),
  ["release_date_from", "release_date_to", "due"],
  ["modified_within_days", "modified_since"],
];

/** How many releases a search without some of its filters finds. */
interface CountWithout {
  names: readonly (keyof Filter)[];
  count: number;
}

/** What a search that finds nothing would find without each of its filters, where that is anything. */
export async function countWithout(
  query: CollectionQuery,
  context: SearchContext & { services: { clock: () => Date } },
): Promise<CountWithout[]> {
  const { database, clock } = context.services;
  const today = isoDate(clock());
  const chosen = FILTERS.filter((names) => names.some((name) => query[name] !== undefined));
  const counts = await Promise.all(chosen.map(async (names) => {
    const without = Object.fromEntries(names.map((name) => [name, undefined]));
    const wanted = resolveFilter({ ...query, ...without }, today);
    const { filter, selection } = await findReleases(wanted, context);
    return { names, count: selection?.count ?? await countFiltered(database, filter) };
  }));
  return counts.filter(({ count }) => count > 0);
}
