import { CSV, ROWS_AT_ONCE, sendTable } from "./(_components)/csv.ts";
import { networkOf } from "../lib/http/clients/client_address.ts";
import {
  AS_OF_QUERY,
  COLLECTION_QUERY,
  parseAsOf,
  parseCollection,
} from "../lib/roadmap/collection.ts";
import { readMoreColumns } from "../lib/roadmap/filter/filter_options_sql.ts";
import { formatReleaseRow, headReleases } from "../lib/roadmap/tables.ts";
import { selectReleases } from "../lib/search/search.ts";
import { roadmapAsOf } from "../lib/service/services.ts";
import { type ActionConfig, type ActionHandlers, today } from "./route.ts";

export const config: ActionConfig = {
  errors: "json",
  summary: "The releases as a table for spreadsheets",
};

/** The releases as a table, in the order of the collection. */
export const handler: ActionHandlers = {
  GET: {
    describe: (variant) => ({
      tag: "Releases",
      details:
        "Takes the filters of the collection, and has all pages of it. Opens in Excel: UTF-8 " +
        "with a byte order mark, and an apostrophe before what would be a formula.",
      query: COLLECTION_QUERY.extend(AS_OF_QUERY.shape)
        .omit({
          page: true,
          page_size: true,
          ...!variant.showsInactive && { include_inactive: true },
        }),
      answers: { 200: { description: "The table (RFC 4180)", ...CSV } },
    }),
    async answer(request, { address, target }, { services, site }) {
      const query = new URLSearchParams(target.query);
      const as_of = parseAsOf(query, today(services));
      const collection = { ...parseCollection(query, site.variant), as_of };
      const context = {
        services: roadmapAsOf(services, as_of, collection.date_name),
        site,
        client: networkOf(address),
      };
      const write = async function* () {
        const more = await readMoreColumns(context.services.database, collection);
        yield headReleases(site.variant, more);
        const { selection } = await selectReleases(collection, context);
        for (let start = 0; start < selection.count; start += ROWS_AT_ONCE) {
          const ids = selection.slice(start, start + ROWS_AT_ONCE);
          const items = await context.services.items.read(ids);
          yield items.map((item) => formatReleaseRow(site.variant, item, more)).join("");
        }
      };
      return await sendTable(request, "releases.csv", { address, services, write });
    },
  },
};
