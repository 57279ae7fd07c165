import { parseParameters } from "../../lib/http/requests/parameters.ts";
import { readHistory } from "../../lib/roadmap/changes/changes_sql.ts";
import { findRelease, RELEASE_PATH } from "../../lib/roadmap/item_cache.ts";
import { writeReleaseMarkdown } from "../../lib/feeds/release_markdown.ts";
import { HISTORY_LENGTH } from "../../lib/ui/release_parts.tsx";
import type { ReadConfig, ReadHandlers } from "../route.ts";

export const config: ReadConfig = {
  pattern: String.raw`/release/:markdown_file{[^/]+\.md}`,
  cache: "data",
  errors: "json",
  summary: "One release as Markdown",
};

/** The page of a release as Markdown. */
export const handler: ReadHandlers = {
  GET: {
    read({ path: { markdown_file } }, context) {
      const release_item_id = markdown_file!.slice(0, -".md".length);
      const { release_item_id: id } = parseParameters(RELEASE_PATH, { release_item_id });
      return {
        normalised: id,
        async build() {
          const { services: { database }, site } = context;
          const { variant } = site;
          const item = await findRelease(id, context);
          const history = await readHistory(database, id, {
            variant,
            per: "modification",
            end: HISTORY_LENGTH,
          });
          return {
            contentType: "text/markdown; charset=utf-8",
            body: writeReleaseMarkdown(item, history, site),
            headers: { Link: `<${site.url}/release/${id}>; rel="canonical"` },
          };
        },
      };
    },
  },
};
