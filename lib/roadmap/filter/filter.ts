import type { z } from "zod";
import {
  day,
  dayOrQuarter,
  flag,
  onlyChoice,
  parseParameters,
  searchWords,
  tags,
  texts,
  wholeNumber,
} from "../../http/requests/parameters.ts";
import { daysBefore } from "../../text/dates.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import type { Variant } from "../variant.ts";
import type { WordSearch } from "../words/words_sql.ts";
import { DUE_PERIODS, type DueDays, dueDays, type FilterName } from "./filter_values.ts";

/**
 * The filter of collections, the changelog, feeds and pages. Each of them includes this shape in
 * its own schema; an absent parameter matches everything.
 */
export const FILTER = {
  product_name: texts().describe(
    "Exact, case-sensitive product name; repeat to match any of several",
  ),
  release_type: texts().describe("Exact release type; repeat to match any of several"),
  release_status: texts().describe("Exact release status; repeat to match any of several"),
  tag: tags().describe(
    "A tag as `Group:Value`; repeat to match any of several of a group, and one of each group",
  ),
  source: texts().describe("Name of the source; repeat to match any of several"),
  modified_within_days: wholeNumber({ min: 1, max: 30 }).optional()
    .describe("Only releases modified within this number of days"),
  modified_since: day().describe("Only releases modified on or after this day"),
  release_date_from: dayOrQuarter("first")
    .describe("Only releases planned for this day or quarter, or later"),
  release_date_to: dayOrQuarter("last")
    .describe("Only releases planned for this day or quarter, or earlier"),
  due: onlyChoice(DUE_PERIODS).describe(
    "Only releases that are neither shipped nor stopped, and `overdue`, or planned for today or " +
      "for one of the next 7, 30 or 90 days",
  ),
  q: searchWords().describe(
    "Case-insensitive text in name, description or product; a query in natural language where " +
      "the site has semantic search",
  ),
  match: onlyChoice(["words"]).describe(
    "`words`: `q` is searched by its words, in any form and order; absent: as a text",
  ),
  include_inactive: flag().default(false).describe("`true` or `1`: include removed releases"),
} as const satisfies Record<FilterName, z.ZodType>;

/** A parsed filter: days as `YYYY-MM-DD`, lists sorted and without duplicates. */
export type Filter = { [Name in FilterName]?: z.output<(typeof FILTER)[Name]> };

/**
 * Reads parameters that hold the filter. Without a question it does not matter how one is matched,
 * and a variant without removed items ignores `include_inactive`.
 */
export function parseFilter<Schema extends z.ZodObject<typeof FILTER>>(
  schema: Schema,
  query: URLSearchParams | Readonly<Record<string, string>>,
  { showsInactive }: Pick<Variant, "showsInactive">,
): z.output<Schema> {
  const parsed = parseParameters(schema, query);
  return {
    ...parsed,
    ...parsed.q === undefined && { match: undefined },
    ...!showsInactive && { include_inactive: false },
  };
}

/** A filter that does not depend on the day: the conditions on an item. */
export type ItemFilter = Omit<Filter, "modified_within_days" | "due"> & {
  due?: DueDays;
  changed?: ChangedFilter;
  /** The words of `q` (lib/roadmap/words/search_words.ts); absent: `q` is a substring. */
  words?: WordSearch;
};

/** Only items with changes of one day, by default that of their last change. */
export interface ChangedFilter {
  /** `YYYY-MM-DD` */
  day?: string;
  /** Absent: of any kind. */
  kinds?: readonly ChangeKind[];
  precision: Variant["datePrecision"];
}

/** The filter with its periods counted from a day, `YYYY-MM-DD`. */
export function resolveFilter(filter: Filter, today: string): ItemFilter {
  const { modified_within_days, modified_since, due, ...rest } = pickFilter(filter);
  const lookBack = modified_within_days === undefined
    ? undefined
    : daysBefore(today, modified_within_days);
  const [since] = [lookBack, modified_since].filter((day) => day !== undefined).sort().reverse();
  return { ...rest, modified_since: since, ...due && { due: dueDays(due, today) } };
}

/** The parameters of the filter among those of a request. */
function pickFilter(parameters: Filter): Filter {
  return Object.fromEntries(
    (Object.keys(FILTER) as FilterName[]).map((name) => [name, parameters[name]]),
  );
}
