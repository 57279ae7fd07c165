import { byDate } from "../../../lib/service/services.ts";
import { ignoredNames, parseParameters } from "../../../lib/http/requests/parameters.ts";
import {
  CHANGED_RELEASES,
  CHANGED_RELEASES_QUERY,
  readChangedReleases,
} from "../../../lib/roadmap/changes/visit_changes.ts";
import { resolveFilter } from "../../../lib/roadmap/filter/filter.ts";
import { FILTER_NAMES } from "../../../lib/roadmap/filter/filter_values.ts";
import { findReleases } from "../../../lib/search/search.ts";
import { askForDates, parseSearch } from "../../(_components)/read_search.ts";
import {
  type Context,
  json,
  type ReadConfig,
  type ReadHandlers,
  type RouteInput,
  today,
} from "../../route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "The releases that changed after a cursor",
};

/** Which releases changed after a cursor: how pages know what is new to a visitor. */
export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Changes",
      details: "To mark what is new. Start without `after`, and store `next_after` as in " +
        "`/api/changes`.",
      query: CHANGED_RELEASES_QUERY,
      answers: {
        200: { description: "The releases", schema: CHANGED_RELEASES },
      },
    }),
    read(input, context) {
      const { services, site: { variant } } = context;
      const { after, ...filter } = parseParameters(CHANGED_RELEASES_QUERY, input.query);
      const ignored = ignoredNames(CHANGED_RELEASES_QUERY, input.query);
      const day = today(services);
      return {
        normalised: { after, filter, ignored, day },
        async build() {
          const asked = after ? resolveFilter(await searchLikePage(input, context), day) : {};
          const dated = byDate(services, asked.date_name);
          const { filter: found, selection, shortLived } = await findReleases(asked, {
            ...context,
            services: dated,
            client: input.client,
          });
          const changed = await readChangedReleases(after, {
            database: dated.database,
            variant,
            among: selection?.slice(0, selection.count) ?? found,
          });
          return {
            ...json({ ...changed, ...ignored.length > 0 && { ignored } }),
            shortLived,
          };
        },
      };
    },
  },
};

/** The filter as the page of the roadmap reads it, with removed releases unless it leaves them out. */
async function searchLikePage({ query, ...input }: RouteInput, context: Context) {
  const filter = [...query].filter(([name]) => FILTER_NAMES.some((one) => one === name));
  const asked = new URLSearchParams(filter);
  if (!asked.has("include_inactive")) asked.set("include_inactive", "true");
  const parsed = parseSearch({ ...input, query: asked }, context);
  return (await askForDates(parsed, context)).collection;
}
