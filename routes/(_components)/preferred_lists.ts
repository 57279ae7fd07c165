import { isChangeKind } from "../../lib/roadmap/changes/changes_query.ts";
import {
  type FilterValues,
  isDuePeriod,
  readFilterValues,
  readList,
} from "../../lib/roadmap/filter/filter_values.ts";
import {
  emptyLists,
  PREFERENCE_LISTS,
  PREFERENCE_NAMES,
  type PreferenceLists,
  type PreferenceName,
} from "../../lib/roadmap/filter/preference_lists.ts";
import { MAX_SEARCHES } from "../../lib/roadmap/words/searches_sql.ts";
import { type Cadence, CADENCES } from "../../lib/text/cadence.ts";

/** Reads the lists of preferences that an address names, for a form that has not been sent yet. */
export function readPreferred(query: URLSearchParams): PreferenceLists {
  const lists = emptyLists() as Record<PreferenceName, string[]>;
  for (const name of PREFERENCE_NAMES) lists[name] = preferencesIn(query, name);
  return {
    ...lists,
    due: lists.due.filter(isDuePeriod),
    date_name: lists.date_name.slice(0, 1),
    kinds: lists.kinds.filter(isChangeKind),
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
