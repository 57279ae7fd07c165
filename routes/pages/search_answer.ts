import { answerSearch, boundSearch, parseSearch } from "./read_search.ts";
import { json, type ReadHandler } from "../route.ts";

/** What the page of a search shows, for its script. */
export const searchAnswer: ReadHandler = {
  read(input, context) {
    const asked = parseSearch(input, context);
    return {
      normalised: asked.search,
      bytes: () => boundSearch(asked, context),
      async build() {
        const { client } = input;
        const { answer, options: _, ...lifetime } = await answerSearch(asked, {
          ...context,
          client,
        });
        return { ...json(answer), ...lifetime };
      },
    };
  },
};
