import { INSIGHTS } from "../../lib/insights/insights.ts";
import { INSIGHTS_QUERY, readInsights } from "../../lib/insights/read_insights.ts";
import { parseFilter } from "../../lib/roadmap/filter/filter.ts";
import { json, type ReadConfig, type ReadHandlers, today } from "../route.ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "How reliable the dates are, in figures, by quarter and by product",
};

/** How reliable the dates are, in figures (docs/insights.md). */
export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Changes",
      details:
        "Computed from stored changes only, so figures begin with the first import. The filter " +
        "applies to releases as they are now.",
      query: INSIGHTS_QUERY,
      answers: {
        200: {
          description: "Figures; lists have at most 10 releases and 50 products",
          schema: INSIGHTS,
        },
      },
    }),
    read({ query }, { services, site: { variant } }) {
      const parsed = parseFilter(INSIGHTS_QUERY, query, variant);
      return {
        normalised: parsed,
        build: async () => {
          return json(await readInsights(parsed, { ...services, variant, today: today(services) }));
        },
      };
    },
  },
};
