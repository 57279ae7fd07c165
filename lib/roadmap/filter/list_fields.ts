import type { FilterOptions } from "./filter_options.ts";
import type { ListedValues } from "./listed_values.ts";

/** The fields of a form for the lists of the filter, in their order. */
export function listFields(options: FilterOptions<ListedValues>) {
  return [
    { name: "product_name", label: "Product", many: "products", listed: options.product_names },
    { name: "release_type", label: "Type", many: "types", listed: options.release_types },
    { name: "release_status", label: "Status", many: "statuses", listed: options.release_statuses },
    { name: "source", label: "Source", many: "sources", listed: options.sources },
  ] as const;
}
