import { answerSearch, parseSearch } from "./read_search.ts";
import { json, type ReadHandler } from "../route.ts";

/** What the page of a search shows, for its script. */
export const searchAnswer: ReadHandler = {
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
};
