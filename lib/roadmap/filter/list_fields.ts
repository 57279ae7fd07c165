import type { FilterOptions } from "./filter_options.ts";
import type { ListName } from "./filter_values.ts";
import type { ListedValues } from "./listed_values.ts";

/** A field of a form: a list of the filter, or the tags of a group. */
interface ListField {
  name: ListName;
  label: string;
  /** What its values are, such as `products`. */
  many: string;
  listed: ListedValues;
  /** What each value begins with and is not shown. */
  prefix?: string;
}

/** The fields of a form for the lists of the filter, in their order. */
export function listFields(options: FilterOptions<ListedValues>): ListField[] {
  return [
    { name: "product_name", label: "Product", many: "products", listed: options.product_names },
    { name: "release_type", label: "Type", many: "types", listed: options.release_types },
    { name: "release_status", label: "Status", many: "statuses", listed: options.release_statuses },
    ...Object.entries(options.tags).map(([label, { values, total }]): ListField => {
      const prefix = `${label}:`;
      const listed = { values: values.map((value) => prefix + value), total };
      return { name: "tag", label, many: "tags", listed, prefix };
    }),
    { name: "source", label: "Source", many: "sources", listed: options.sources },
  ];
}
