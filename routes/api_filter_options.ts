import { readFilterOptions } from "../lib/roadmap/items_sql.ts";
import { FILTER_OPTIONS } from "../lib/roadmap/answer_schemas.ts";
import { json, type ReadRoute } from "./route.ts";

/** Interface specification, 4.5: what the filters can be set to. */
export const filterOptions: ReadRoute = {
  method: "GET",
  path: "/api/filter-options",
  summary: "The products, types and statuses that releases have",
  cache: "variant",
  describe: () => ({
    answers: { 200: { description: "The values, sorted", schema: FILTER_OPTIONS } },
  }),
  read: (_asked, { services: { database } }) => ({
    normalised: null,
    build: async () => json(await readFilterOptions(database)),
  }),
};
