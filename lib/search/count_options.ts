import type { Database } from "../database/database.ts";
import type { Content } from "../http/representation.ts";
import { type Filter, resolveFilter } from "../roadmap/filter.ts";
import { countValues, type FilterOptions } from "../roadmap/filter_options_sql.ts";
import { LIST_NAMES, type ListName } from "../roadmap/filter_values.ts";
import { isoDate } from "../text/dates.ts";
import { type CollectionContext, fallbackLifetime, findByMeaning } from "./read_collection.ts";

/** By the name of a parameter, how many items would be found with each of its values chosen. */
export type OptionCounts =
  & Record<Exclude<ListName, "source">, Record<string, number>>
  & { source?: Record<string, number> };

const OPTIONS: Readonly<Record<ListName, keyof FilterOptions>> = {
  product_name: "product_names",
  release_type: "release_types",
  release_status: "release_statuses",
  source: "sources",
};

/** Counts what each value of a list would find, the other parameters being as they are. */
export async function countOptions(
  filter: Filter,
  options: FilterOptions,
  context: CollectionContext & { services: { database: Database } },
): Promise<{ counts: OptionCounts } & Pick<Content, "shortLived" | "onlyFor">> {
  const { database, clock } = context.services;
  const today = isoDate(clock());
  let lifetime = {};
  const names = LIST_NAMES.filter((name) => name !== "source" || options.sources.length > 0);
  const counts = await Promise.all(names.map(async (name) => {
    const others = resolveFilter({ ...filter, [name]: undefined }, today);
    const nearest = await findByMeaning(others, { ...context, end: Infinity });
    if (nearest && !nearest.selection) lifetime = fallbackLifetime(nearest);
    const among = nearest?.selection?.slice(0, nearest.selection.count) ?? others;
    const unused = Object.fromEntries(options[OPTIONS[name]].map((value) => [value, 0]));
    return [name, { ...unused, ...await countValues(database, name, among) }] as const;
  }));
  return { counts: Object.fromEntries(counts) as OptionCounts, ...lifetime };
}
