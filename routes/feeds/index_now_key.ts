import { Problem } from "../../lib/http/problem.ts";
import type { ReadHandler } from "../route.ts";

/** The key by which search engines know that a submission is the site's own (indexnow.org). */
export const indexNowKey: ReadHandler = {
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
};
