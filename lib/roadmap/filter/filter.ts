import type { z } from "zod";
import { parseParameters } from "../../http/requests/parameters.ts";
import type { ChangeKind } from "../changes/kinds.ts";
import type { Variant } from "../variant.ts";
import type { WordSearch } from "../words/words_sql.ts";
import { type DuePeriod, FILTER_NAMES, type FilterName } from "./filter_values.ts";
import { FILTER_MEANINGS } from "./filters_sql.ts";

/**
 * The filter of collections, the changelog, feeds and pages. Each of them includes this shape in
 * its own schema; an absent parameter matches everything.
 */
export const FILTER = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, FILTER_MEANINGS[name].schema]),
) as { [Name in FilterName]: (typeof FILTER_MEANINGS)[Name]["schema"] };

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
export type ItemFilter =
  & {
    [Name in FilterName]?: Parameters<
      (typeof FILTER_MEANINGS)[Name]["condition"]
    >[0];
  }
  & {
    changed?: ChangedFilter;
    /** The words of `q` (lib/roadmap/words/search_words.ts); absent: `q` is a substring. */
    words?: WordSearch;
  };

/** What narrows changes: some of the filter, by their item as it is now, and their kinds. */
export type ChangesFilter =
  & Pick<ItemFilter, "product_name" | "release_type" | "release_status" | "tag" | "source">
  & {
    kind?: ChangeKind[];
    /** Questions, each of which is searched by its words. */
    q?: string[];
    /** Only of items that are due in one of these periods. */
    due?: DuePeriod[];
    /** The name of the date that stands for the release date: one at most. */
    date_name?: string[];
  };

/** The name of the date by which changes are asked for; undefined: the release date. */
export function dateNameOf({ date_name }: ChangesFilter): string | undefined {
  return date_name?.[0];
}

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
  return Object.fromEntries(FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    if (value === undefined) return [];
    const { resolve } = FILTER_MEANINGS[name] as {
      resolve?: (value: unknown, today: string) => unknown;
    };
    return [[name, resolve ? resolve(value, today) : value]];
  }));
}

/** The day on or after which a filter demands the last change, and the filter without that. */
export function takeModified(
  { modified_within_days, modified_since, ...filter }: ItemFilter,
): { since: string | undefined; filter: ItemFilter } {
  const [since] = [modified_within_days, modified_since].filter((day) => day !== undefined)
    .sort().reverse();
  return { since, filter };
}
