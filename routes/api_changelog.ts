import { z } from "zod";
import { type ItemWithChanges, readChangelog } from "../lib/roadmap/changes_sql.ts";
import { CHANGELOG } from "../lib/roadmap/answer_schemas.ts";
import { formatChangelog } from "../lib/roadmap/changelog.ts";
import { daysBefore } from "../lib/text/dates.ts";
import { flag, parseParameters, wholeNumber } from "../lib/http/parameters.ts";
import { FILTER, resolveFilter } from "../lib/roadmap/filter.ts";
import { json, type ReadHandler, type Services, today } from "./route.ts";

export const CHANGELOG_QUERY = z.object({
  days: wholeNumber({ min: 1, max: 90 }).default(30).describe("How many days to look back"),
  ...FILTER,
  include_inactive: flag().default(true).describe("`true` or `1`: removed releases as well"),
});

export type ChangelogQuery = z.output<typeof CHANGELOG_QUERY>;

/** Interface specification, 4.4: what changed, by day. */
export const changelog: ReadHandler = {
  isIn: (variant) => variant.hasChangelog,
  describe: () => ({
    query: CHANGELOG_QUERY,
    answers: { 200: { description: "The days, newest first", schema: CHANGELOG } },
  }),
  read({ query }, { services, site: { variant } }) {
    const parsed = parseParameters(CHANGELOG_QUERY, query);
    return {
      normalised: parsed,
      async build() {
        return json(formatChangelog(variant, await readChangesWithin(parsed, services)));
      },
    };
  },
};

/** The items that changed within the days that are asked for, counted back from today. */
export function readChangesWithin(
  { days, ...filter }: ChangelogQuery,
  services: Services,
): Promise<ItemWithChanges[]> {
  const lookBack = daysBefore(today(services), days);
  const { modified_since = lookBack, ...rest } = resolveFilter(filter, today(services));
  const since = modified_since > lookBack ? modified_since : lookBack;
  return readChangelog(services.database, { ...rest, modified_since: since });
}
