import type { Connection } from "../database/database.ts";
import type { ListedOptions } from "../roadmap/filter/filter_options_sql.ts";
import { type ListedValues, listTags } from "../roadmap/filter/listed_values.ts";
import { findUnknown, type UnknownValues } from "./subscriptions/unknown_values_sql.ts";

/** Finds the values that no release has now; null where every one has. */
export async function findUnknownValues(
  lists: Required<UnknownValues>,
  { database, listedOptions }: { database: Connection; listedOptions: ListedOptions },
): Promise<UnknownValues | null> {
  const options = await listedOptions.read();
  const listed: Record<keyof UnknownValues, ListedValues> = {
    products: options.product_names,
    types: options.release_types,
    statuses: options.release_statuses,
    tags: listTags(options.tags),
  };
  const missing = { types: [], products: [], statuses: [], tags: [] } as Required<UnknownValues>;
  let isCertain = true;
  for (const name of ["types", "products", "statuses", "tags"] as const) {
    const { values, total } = listed[name];
    missing[name] = lists[name].filter((value) => !values.includes(value));
    if (missing[name].length > 0 && total > values.length) isCertain = false;
  }
  // A list that is not whole leaves out the values of few releases.
  if (!isCertain) return await findUnknown(database, missing);
  const found = Object.entries(missing).filter(([, values]) => values.length > 0);
  return found.length > 0 ? Object.fromEntries(found) : null;
}
