import type { Content } from "../http/responses/representation.ts";
import { countFacets, type Facets } from "../roadmap/filter/filter_options_sql.ts";
import { type Filter, resolveFilter } from "../roadmap/filter/filter.ts";
import { LIST_NAMES, type ListName } from "../roadmap/filter/filter_values.ts";
import { isoDate } from "../text/dates.ts";
import {
  findReleases,
  type FoundReleases,
  type ReadQuestion,
  type SearchContext,
} from "./find_releases.ts";

const NOTHING_CHOSEN = {
  ...Object.fromEntries(LIST_NAMES.map((name) => [name, undefined])),
  release_date_from: undefined,
  release_date_to: undefined,
};

/**
 * Counts what each choice of a filter would find, the other choices being as they are.
 *
 * @param listed the only values of each list to count; absent: all
 * @param found how the question of this filter was read before; absent: it was not
 */
export async function countChoices(
  filter: Filter,
  { listed, found, ...context }: SearchContext & {
    services: { clock: () => Date };
    listed?: Readonly<Record<ListName, readonly string[]>>;
    found?: ReadQuestion;
  },
): Promise<{ facets: Facets } & Pick<Content, "shortLived">> {
  const { database, clock } = context.services;
  const today = isoDate(clock());
  const wanted = resolveFilter(filter, today);
  // What is near in meaning is selected by the other choices, words are read for all of them.
  const isRead = found !== undefined && found.mode !== "semantic" && found.mode !== "related";
  const { filter: { words }, selection, shortLived }: FoundReleases = isRead
    ? found
    : await findReleases(wanted, context, { wider: NOTHING_CHOSEN });
  const among = selection?.slice(0, selection.count);
  const facets = await countFacets(database, { ...wanted, words }, { today, among, listed });
  return { facets, shortLived };
}
