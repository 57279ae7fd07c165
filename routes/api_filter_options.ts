import { z } from "zod";
import { parseParameters } from "../lib/http/parameters.ts";
import { FILTER_OPTIONS } from "../lib/roadmap/answer_schemas.ts";
import { FILTER } from "../lib/roadmap/filter.ts";
import { filterPairs } from "../lib/roadmap/filter_values.ts";
import { readFilterOptions } from "../lib/roadmap/filter_options_sql.ts";
import { countOptions } from "../lib/search/count_options.ts";
import { json, type ReadHandler } from "./route.ts";

const FILTER_QUERY = z.object(FILTER);

/** Interface specification, 4.5: what the filter can be set to, and what each value would find. */
export const filterOptions: ReadHandler = {
  describe: () => ({
    query: FILTER_QUERY,
    answers: {
      200: {
        description:
          "The values, sorted; with any parameter also how many releases each would find",
        schema: FILTER_OPTIONS,
      },
    },
  }),
  read({ query, client }, context) {
    const { services: { database }, site: { variant } } = context;
    const parsed = parseParameters(FILTER_QUERY, query);
    const filter = {
      ...parsed,
      include_inactive: variant.showsInactive && parsed.include_inactive,
    };
    const isWhole = filterPairs(filter).length === 0;
    return {
      normalised: filter,
      async build() {
        const { sources, ...lists } = await readFilterOptions(database);
        const options = sources.length > 0 ? { ...lists, sources } : lists;
        if (isWhole) return json(options);
        const { counts, ...lifetime } = await countOptions(
          filter,
          { ...lists, sources },
          { ...context, client },
        );
        return { ...json({ ...options, counts }), ...lifetime };
      },
    };
  },
};
