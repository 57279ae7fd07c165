import { z } from "zod";
import { formatOpml, OPML_TYPE } from "../lib/feeds/formats.ts";
import { readFilterOptions } from "../lib/roadmap/filter/filter_options_sql.ts";
import type { Filter } from "../lib/roadmap/filter/filter.ts";
import { filterPairs } from "../lib/roadmap/filter/filter_values.ts";
import { formatPairs } from "../lib/roadmap/collection.ts";
import { describeChannel } from "./(_components)/feed_at.ts";
import type { ReadConfig, ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "A feed for each product, as a list for feed readers",
};

export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Feeds",
      details: "Import it into a feed reader to follow each product on its own.",
      answers: {
        200: {
          description: "The RSS feeds, OPML 2.0",
          contentType: OPML_TYPE,
          schema: z.string(),
        },
      },
    }),
    read: (_input, context) => ({
      normalised: null,
      async build() {
        const { database, config } = context.services;
        const { product_names } = await readFilterOptions(database);
        // The body of an OPML document has at least one outline.
        const filters: Filter[] = product_names.length > 0
          ? product_names.map((name) => ({ product_name: [name] }))
          : [{}];
        const feeds = filters.map((filter) => ({
          ...describeChannel(filter, context),
          url: `${context.site.url}/rss.xml${formatPairs(filterPairs(filter))}`,
        }));
        const body = formatOpml(config.SITE_NAME, feeds);
        return { contentType: `${OPML_TYPE}; charset=utf-8`, body };
      },
    }),
  },
};
