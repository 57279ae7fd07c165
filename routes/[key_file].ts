import { Problem } from "../lib/http/responses/problem.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  pattern: String.raw`/:key_file{[a-zA-Z0-9-]{8,128}\.txt}`,
  cache: "data",
  errors: "json",
  summary: "The key of the site for search engines, where INDEXNOW_KEY is set",
};

/** The key by which search engines know that a submission is the site's own (indexnow.org). */
export const handler: ReadHandlers = {
  GET: {
    read: ({ path: { key_file } }, { services: { config: { indexNow } } }) => ({
      normalised: key_file,
      build() {
        if (indexNow === null || key_file !== `${indexNow.key}.txt`) {
          throw new Problem(404, "There is no such file");
        }
        return Promise.resolve({
          contentType: "text/plain; charset=utf-8",
          body: indexNow.key,
        });
      },
    }),
  },
};
