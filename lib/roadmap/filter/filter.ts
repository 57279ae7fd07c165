import type { z } from "zod";
import {
  day,
  dayOrQuarter,
  flag,
  parseParameters,
  searchWords,
  texts,
  wholeNumber,
} from "../../http/parameters.ts";
import { daysBefore } from "../../text/dates.ts";
import type { Variant } from "../variant.ts";
import type { FilterName } from "./filter_values.ts";

/**
 * The filter of collections, the changelog, feeds and pages. Each of them includes this shape in
 * its own schema; an absent parameter matches everything.
 */
export const FILTER = {
  product_name: texts().describe("Exact, case-sensitive name of a product; any of several"),
  release_type: texts().describe("Exact release type; any of several"),
  release_status: texts().describe("Exact release status; any of several"),
  source: texts().describe("Name of the source that releases come from; any of several"),
  modified_within_days: wholeNumber({ min: 1, max: 30 }).optional()
    .describe("Only releases that were modified within so many days"),
  modified_since: day().describe("Only releases that were modified on that day or later"),
  release_date_from: dayOrQuarter("first")
    .describe("Only releases planned for that day or quarter, or later"),
  release_date_to: dayOrQuarter("last")
    .describe("Only releases planned for that day or quarter, or earlier"),
  q: searchWords().describe(
    "Text that name, description or product contains as it stands, in any case; where the site " +
      "searches by meaning, what is looked for",
  ),
  include_inactive: flag().default(false).describe("`true` or `1`: removed releases as well"),
} as const satisfies Record<FilterName, z.ZodType>;

/** A parsed filter: days as `YYYY-MM-DD`, lists sorted and without duplicates. */
export type Filter = { [Name in FilterName]?: z.output<(typeof FILTER)[Name]> };

/**
 * Reads parameters that hold the filter; a variant without removed items ignores
 * `include_inactive`.
 */
export function parseFilter<Schema extends z.ZodObject<typeof FILTER>>(
  schema: Schema,
  query: URLSearchParams | Readonly<Record<string, string>>,
  { showsInactive }: Pick<Variant, "showsInactive">,
): z.output<Schema> {
  const parsed = parseParameters(schema, query);
  return showsInactive ? parsed : { ...parsed, include_inactive: false };
}

/** A filter that does not depend on the day: the conditions on an item. */
export type ItemFilter = Omit<Filter, "modified_within_days">;

/** The filter with its look-back counted from a day, `YYYY-MM-DD`. */
export function resolveFilter(filter: Filter, today: string): ItemFilter {
  const { modified_within_days, modified_since, ...rest } = pickFilter(filter);
  const lookBack = modified_within_days === undefined
    ? undefined
    : daysBefore(today, modified_within_days);
  const [since] = [lookBack, modified_since].filter((day) => day !== undefined).sort().reverse();
  return { ...rest, modified_since: since };
}

/** The parameters of the filter among those of a request. */
function pickFilter(parameters: Filter): Filter {
  return Object.fromEntries(
    (Object.keys(FILTER) as FilterName[]).map((name) => [name, parameters[name]]),
  );
}
