import { PROBLEM_SCHEMA } from "../lib/http/problem.ts";
import { readHistory } from "../lib/roadmap/changes_sql.ts";
import { historySchema } from "../lib/roadmap/answer_schemas.ts";
import { RELEASE_PATH } from "../lib/roadmap/release_path.ts";
import { parseParameters } from "../lib/http/parameters.ts";
import { findRelease } from "../lib/roadmap/find_release.ts";
import { json, type ReadHandler } from "./route.ts";

/** Interface specification, 4.3: everything one item went through. */
export const history: ReadHandler = {
  describe: (variant) => ({
    path: RELEASE_PATH,
    answers: {
      200: { description: "The changes", schema: historySchema(variant.changedColumnsSchema) },
      404: { description: "There is no such release", schema: PROBLEM_SCHEMA },
    },
  }),
  read({ path }, context) {
    const { release_item_id: id } = parseParameters(RELEASE_PATH, path);
    return {
      normalised: id,
      async build() {
        const { services, site } = context;
        const item = await findRelease(id, context);
        const changes = await readHistory(services.database, item.release_item_id);
        return json(site.variant.formatHistory(changes));
      },
    };
  },
};
