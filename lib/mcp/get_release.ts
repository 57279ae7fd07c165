import { z } from "zod";
import { parseParameters } from "../http/requests/parameters.ts";
import { readHistory } from "../roadmap/changes/changes_sql.ts";
import { findRelease, RELEASE_PATH } from "../roadmap/item_cache.ts";
import { toPlainText } from "../text/plain_text.ts";
import { shorten, toLine } from "../text/phrases.ts";
import { describeRelease, releaseSchema, writeRelease } from "./describe_release.ts";
import { defineTool, toQuery } from "./tool.ts";

const MAX_CHANGES = 100;
const MAX_DESCRIPTION_LENGTH = 50_000;
/** A history is no place for whole descriptions. */
const MAX_CHANGE_LENGTH = 1_000;

/** One release with what it went through: `/api/releases` and `/api/releases/history`. */
export const getRelease = defineTool({
  name: "get_release",
  title: "Get a release",
  description: () =>
    "Returns one release of the roadmap in full, with its history: when it was added, how its date, " +
    "status and texts changed, whether it was removed. Use it to answer whether something slipped " +
    "or what changed about a feature. The id comes from search_releases or list_changes; it is " +
    "also the last part of the address of a release's page.",
  input: z.strictObject({
    release_item_id: z.string().describe("UUID of the release"),
  }),
  output: (variant) =>
    z.strictObject({
      release: releaseSchema(variant),
      history: z.array(z.strictObject({
        changed_columns: variant.changedColumnsSchema,
        last_modified: z.string().describe("The day of the change"),
      })).describe(`Newest first, at most the last ${MAX_CHANGES}`),
      more_changes: z.int().describe("Number of older changes"),
    }),
  async answer(input, context) {
    const { services, site } = context;
    const { variant } = site;
    const { release_item_id: id } = parseParameters(RELEASE_PATH, toQuery(input));
    const item = await findRelease(id, context);
    const { changes, total } = await readHistory(services.database, id, {
      variant,
      per: variant.historyShows,
      end: MAX_CHANGES,
    });
    const history = variant.formatHistory(changes).map(({ changed_columns, last_modified }) => ({
      changed_columns: typeof changed_columns === "string"
        ? shorten(toLine(changed_columns), MAX_CHANGE_LENGTH)
        : changed_columns,
      last_modified,
    }));
    const { feature_description, ...listed } = item;
    const text = toPlainText(shorten(feature_description ?? "", MAX_DESCRIPTION_LENGTH));
    return {
      structured: {
        release: describeRelease(item, { site, longest: MAX_DESCRIPTION_LENGTH }),
        history,
        more_changes: Math.max(0, total - MAX_CHANGES),
      },
      text: [
        writeRelease(listed, { site }),
        ...text ? [text] : [],
        [
          "History, newest first:",
          ...history.map(({ changed_columns, last_modified }) =>
            `${last_modified}: ${[changed_columns].flat().join(", ")}`
          ),
        ].join("\n"),
      ].join("\n\n"),
    };
  },
});
