import { answerSearch, parseSearch } from "./(_components)/read_search.ts";
import { json, type ReadConfig, type ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "Search results for the script of that page",
};

/** What the page of a search shows, for its script. */
export const handler: ReadHandlers = {
  GET: {
    read(input, context) {
      const parsed = parseSearch(input, context);
      return {
        normalised: parsed.search,
        async build() {
          const { client } = input;
          const { answer, options: _, ...lifetime } = await answerSearch(parsed, {
            ...context,
            client,
          });
          return { ...json(answer), ...lifetime };
        },
      };
    },
  },
};
