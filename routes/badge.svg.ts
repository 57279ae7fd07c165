import { z } from "zod";
import { OWN_ACCENT } from "../lib/config/accent.ts";
import { drawBadge } from "../lib/insights/badge.ts";
import { countInTime, INSIGHTS_QUERY } from "../lib/insights/read_insights.ts";
import { parseFilter } from "../lib/roadmap/filter/filter.ts";
import { describeFilter, toFilterValues } from "../lib/roadmap/filter/filter_values.ts";
import { type ReadConfig, type ReadHandlers, today } from "./route.ts";
import { SVG_POLICY } from "./assets/[name].ts";

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "How many promises were kept, as a badge for a README",
};

/** How many promises were kept, as a badge for a README. */
export const handler: ReadHandlers = {
  GET: {
    describe: () => ({
      tag: "Changes",
      details: "The text is `in_time` of `due` as `/api/insights` has them for the same filter.",
      query: INSIGHTS_QUERY,
      answers: {
        200: {
          description: "The badge, 20 pixels high",
          contentType: "image/svg+xml",
          schema: z.string(),
        },
      },
    }),
    read({ query }, { services, site: { variant } }) {
      const parsed = parseFilter(INSIGHTS_QUERY, query, variant);
      return {
        normalised: parsed,
        async build() {
          const { database, config: { SITE_NAME: siteName, accent } } = services;
          const counts = await countInTime(parsed, { database, today: today(services) });
          const about = describeFilter(toFilterValues({ ...parsed, include_inactive: false }));
          return {
            contentType: "image/svg+xml; charset=utf-8",
            body: drawBadge(about || siteName, counts, (accent ?? OWN_ACCENT).light),
            headers: { "Content-Security-Policy": SVG_POLICY },
          };
        },
      };
    },
  },
};
