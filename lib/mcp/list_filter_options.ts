import { z } from "zod";
import { listTags } from "../roadmap/filter/filter_options.ts";
import { defineTool } from "./tool.ts";

const VALUES = z.strictObject({
  values: z.array(z.string()),
  more: z.int().describe("Number of further values that few releases have"),
});

/** What the filter can be set to: `/api/filter-options`. */
export const listFilterOptions = defineTool({
  name: "list_filter_options",
  title: "List filter options",
  description: () =>
    "Lists the products, release types, statuses and tags that releases of this roadmap have now. " +
    "Ask it before you filter by product_name, release_type, release_status or tag: they match " +
    "these values exactly and no others. Tags are written Group:Value, such as Platform:Web.",
  input: z.strictObject({}),
  output: () =>
    z.strictObject({
      product_names: VALUES,
      release_types: VALUES,
      release_statuses: VALUES,
      tags: VALUES.optional(),
    }),
  async answer(_input, { services: { listedOptions } }) {
    const options = await listedOptions.read();
    const { product_names, release_types, release_statuses } = options;
    const tags = listTags(options.tags);
    const lists = Object.entries({
      product_names,
      release_types,
      release_statuses,
      ...tags.total > 0 && { tags },
    });
    const described = lists.map(([name, { values, total }]) =>
      [name, { values, more: total - values.length }] as const
    );
    return {
      structured: Object.fromEntries(described),
      text: described.map(([name, { values, more }]) =>
        [
          `${name}:`,
          ...values.map((value) => `- ${value}`),
          ...more > 0 ? [`and ${more} more`] : [],
        ]
          .join("\n")
      ).join("\n\n"),
    };
  },
});
