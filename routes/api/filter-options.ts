import { z } from "zod";
import { AS_OF_QUERY, FILTER_OPTIONS, parseAsOf } from "../../lib/roadmap/collection.ts";
import { FILTER, parseFilter } from "../../lib/roadmap/filter/filter.ts";
import { type Facets, readFilterOptions } from "../../lib/roadmap/filter/filter_options_sql.ts";
import { filterPairs, LIST_NAMES } from "../../lib/roadmap/filter/filter_values.ts";
import type { FilterOptions } from "../../lib/roadmap/filter/filter_options.ts";
import { countChoices } from "../../lib/search/search.ts";
import { roadmapAsOf } from "../../lib/service/services.ts";
import { json, type ReadConfig, type ReadHandlers, today } from "../route.ts";

const FILTER_QUERY = z.object(FILTER);

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "The products, types and statuses in use",
};

/** Interface specification, 4.5: what the filter can be set to, and what each value would find. */
export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Releases",
      details: "Each value can be used as is in the matching parameter: `product_name`, " +
        "`release_type`, `release_status`, `tag` (as `Group:Value`) and `source` match exactly.",
      query: FILTER_QUERY.extend(AS_OF_QUERY.shape),
      answers: {
        200: {
          description:
            "The values, sorted; with any parameter, also the number of releases for each",
          schema: FILTER_OPTIONS,
        },
      },
    }),
    read({ query, client }, context) {
      const { services, site } = context;
      const filter = parseFilter(FILTER_QUERY, query, site.variant);
      const as_of = parseAsOf(query, today(services));
      const isWhole = filterPairs(filter).length === 0;
      return {
        normalised: { ...filter, as_of },
        async build() {
          const roadmap = roadmapAsOf(services, as_of, filter.date_name);
          const { sources, tags, date_names, ...lists } = await readFilterOptions(roadmap.database);
          const options = {
            ...lists,
            ...Object.keys(tags).length > 0 && { tags },
            ...sources.length > 0 && { sources },
            ...date_names.length > 0 && { date_names },
          };
          if (isWhole) return json(options);
          const { facets, ...lifetime } = await countChoices(filter, {
            services: roadmap,
            site,
            client,
          });
          const counts = countListed({ ...lists, tags, sources, date_names }, facets);
          return { ...json({ ...options, counts }), ...lifetime };
        },
      };
    },
  },
};

/** By parameter and value, how many releases that value would find; 0 for one that finds none. */
function countListed(options: FilterOptions, { counts }: Facets) {
  const { product_names, release_types, release_statuses, sources } = options;
  const listed = {
    product_name: product_names,
    release_type: release_types,
    release_status: release_statuses,
    tag: Object.entries(options.tags)
      .flatMap(([group, values]) => values.map((value) => `${group}:${value}`)),
    source: sources,
  };
  const names = LIST_NAMES.filter((name) =>
    !["source", "tag"].includes(name) || listed[name].length > 0
  );
  return Object.fromEntries(names.map((name) => {
    const unused = Object.fromEntries(listed[name].map((value) => [value, 0]));
    return [name, { ...unused, ...counts[name] }];
  }));
}
