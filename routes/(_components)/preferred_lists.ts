import { isChangeKind } from "../../lib/roadmap/changes/changes_query.ts";
import {
  type FilterValues,
  isDuePeriod,
  readFilterValues,
  readList,
} from "../../lib/roadmap/filter/filter_values.ts";
import {
  PREFERENCE_LISTS,
  type PreferenceLists,
  type PreferenceName,
} from "../../lib/roadmap/filter/preference_lists.ts";
import { MAX_SEARCHES } from "../../lib/roadmap/words/searches_sql.ts";
import { type Cadence, CADENCES } from "../../lib/text/cadence.ts";

/** Reads the lists of preferences that an address names, for a form that has not been sent yet. */
export function readPreferred(query: URLSearchParams): PreferenceLists {
  return {
    products: preferencesIn(query, "products"),
    types: preferencesIn(query, "types"),
    statuses: preferencesIn(query, "statuses"),
    tags: preferencesIn(query, "tags"),
    sources: preferencesIn(query, "sources"),
    searches: preferencesIn(query, "searches"),
    due: preferencesIn(query, "due").filter(isDuePeriod),
    date_name: preferencesIn(query, "date_name").slice(0, 1),
    kinds: preferencesIn(query, "kinds").filter(isChangeKind),
  };
}

/** The filter of a feed with the same releases, whether lists are named as such or as filters are. */
export function readFollowed(query: URLSearchParams): FilterValues {
  const parameters: Readonly<Record<string, { parameter: string }>> = PREFERENCE_LISTS;
  return readFilterValues(
    new URLSearchParams([...query].map(([name, value]) => [
      Object.hasOwn(parameters, name) ? parameters[name]!.parameter : name,
      value,
    ])),
  );
}

/** How often an address asks for emails; weekly where it does not say. */
export function readCadence(query: URLSearchParams): Cadence {
  return CADENCES.find((cadence) => cadence === query.get("cadence")) ?? "weekly";
}

/** The values of a list, which is chosen by its own name or by that of the filter. */
function preferencesIn(query: URLSearchParams, list: PreferenceName): string[] {
  const names = [list, PREFERENCE_LISTS[list].parameter];
  return readList(query, names, list === "searches" ? MAX_SEARCHES : undefined);
}
