import type { Database } from "../database/database.ts";
import { type Filter, type ItemFilter, resolveFilter } from "../roadmap/filter.ts";
import { countValues, type FilterOptions } from "../roadmap/filter_options_sql.ts";
import { LIST_NAMES, type ListName } from "../roadmap/filter_values.ts";
import { isoDate } from "../text/dates.ts";
import { type CollectionContext, findByMeaning } from "./read_collection.ts";

/** By the name of a parameter, how many items would be found with each of its values chosen. */
export type OptionCounts = Record<ListName, Record<string, number>>;

const OPTIONS: Readonly<Record<ListName, keyof FilterOptions>> = {
  product_name: "product_names",
  release_type: "release_types",
  release_status: "release_statuses",
};

/** Counts what each value of a list would find, the other parameters being as they are. */
export async function countOptions(
  filter: Filter,
  options: FilterOptions,
  context: CollectionContext & { services: { database: Database } },
): Promise<OptionCounts> {
  const today = isoDate(context.services.clock());
  const counts = await Promise.all(LIST_NAMES.map(async (name) => {
    const others = resolveFilter({ ...filter, [name]: undefined }, today);
    const found = await countFound(name, others, context);
    const all = Object.fromEntries(options[OPTIONS[name]].map((value) => [value, 0]));
    return [name, { ...all, ...found }] as const;
  }));
  return Object.fromEntries(counts) as OptionCounts;
}

async function countFound(
  name: ListName,
  filter: ItemFilter,
  context: CollectionContext & { services: { database: Database } },
): Promise<Record<string, number>> {
  const found = await findByMeaning(filter, { ...context, end: Infinity });
  const among = found ? found.slice(0, found.count) : filter;
  return await countValues(context.services.database, name, among);
}
