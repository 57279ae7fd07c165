import { filterQuery } from "../../../components/search/search_query.ts";
import type { FilterValues } from "../../roadmap/filter/filter_values.ts";

/** The query of a feed, or of the form to subscribe, with its question mark; without kinds of all. */
export function followQuery(filter: FilterValues, kinds: readonly string[] = []): string {
  const parameters = new URLSearchParams(filterQuery(filter));
  for (const kind of kinds) parameters.append("kind", kind);
  return parameters.size > 0 ? `?${parameters}` : "";
}
