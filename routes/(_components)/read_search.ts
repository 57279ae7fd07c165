import type { SearchAnswer, SearchQuery } from "../../components/search/search_query.ts";
import { choice, parseParameters, quarter } from "../../lib/http/requests/parameters.ts";
import type { Content } from "../../lib/http/responses/representation.ts";
import { type CollectionQuery, parseAsOf, parseCollection } from "../../lib/roadmap/collection.ts";
import {
  type FilterOptions,
  type ListedValues,
  listTags,
  Spellings,
} from "../../lib/roadmap/filter/filter_options.ts";
import { toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { toFoundItem } from "../../lib/roadmap/found_item.ts";
import { type ItemSort, readMovedFrom } from "../../lib/roadmap/items_sql.ts";
import { isQuarterView } from "../../lib/roadmap/quarters/quarter_grid.ts";
import { readDatesInWords } from "../../lib/roadmap/words/dates_in_words.ts";
import { toMarks } from "../../lib/roadmap/words/marks.ts";
import { countWithout } from "../../lib/search/count_without.ts";
import { countChoices } from "../../lib/search/count_choices.ts";
import { readCollection } from "../../lib/search/read_collection.ts";
import { quarterBoundedBy } from "../../lib/text/dates.ts";
import { z } from "zod";
import { roadmapAsOf } from "../../lib/service/roadmap_services.ts";
import { type Found, LIST_SIZE, type ParsedSearch, type ViewContext } from "./parsed_search.ts";
import { readView } from "./read_view.ts";
import { type Context, type RouteInput, today } from "../route.ts";

const SORT_QUERY = z.object({ sort: choice(["last_modified", "release_date", "relevance"]) });
const VIEW_QUERY = z.object({
  view: choice(["board", "timeline"]),
  from: quarter(),
  group: choice(["status"]),
});

/** Reads the search from the parameters of a request. */
export function parseSearch({ query }: RouteInput, { services, site }: Context): ParsedSearch {
  const as_of = parseAsOf(query, today(services));
  const parsed = parseCollection(query, site.variant);
  const dates = datesIn(parsed, as_of ?? today(services));
  const collection = { ...parsed, ...dates?.asked, match: "words" as const, as_of };
  const { view = "", from = "", group = "" } = parseParameters(VIEW_QUERY, query);
  const { order = "", page } = collection;
  const { sort = "" } = parseParameters(SORT_QUERY, query);
  const filter = toFilterValues({ ...parsed, match: undefined });
  const { release_date_from: first, release_date_to: last } = filter;
  const search = {
    ...filter,
    release_date_from: quarterBoundedBy(first, "first") ?? first,
    release_date_to: quarterBoundedBy(last, "last") ?? last,
    sort: sort === "relevance" ? "" : sort,
    order,
    view,
    from,
    group,
    page: view === "" ? page : 1,
    ...as_of && { as_of },
  };
  return { collection, search, dates, roadmap: roadmapAsOf(services, as_of) };
}

/** The dates that the words ask for, unless others are chosen. */
function datesIn(
  { q, release_date_from, release_date_to, due }: CollectionQuery,
  today: string,
): ParsedSearch["dates"] {
  if (q === undefined || release_date_from || release_date_to || due) return null;
  const found = readDatesInWords(q, today);
  if (found === null) return null;
  const { rest, ...asked } = found;
  return { rest, asked: { ...asked, q: rest || undefined } };
}

/** The answer of a search, the values that its filters list, and how long both may be kept. */
export interface AnsweredSearch extends Pick<Content, "shortLived"> {
  answer: SearchAnswer;
  options: FilterOptions<ListedValues>;
}

/** Searches, and counts what further choices would find. */
export async function answerSearch(
  { collection: asked, search, dates, roadmap }: ParsedSearch,
  { site, client }: Omit<ViewContext, "services">,
): Promise<AnsweredSearch> {
  const context = { services: roadmap, site, client };
  const options = await context.services.listedOptions.read();
  const spellings = new Spellings(options);
  const also = spellings.allOf(asked);
  const collection = { ...asked, ...also };
  const { answer, found } = isQuarterView(search.view)
    ? await readView(search.view, { collection, search }, context)
    : await readList(collection, search, context);
  const { facets, ...lifetime } = await countChoices(collection, {
    ...context,
    listed: listedValues(options, collection),
    found,
  });
  return {
    answer: {
      ...answer,
      view: search.view,
      counts: spellings.sum(facets.counts),
      ...Object.keys(also).length > 0 && { also },
      quarters: facets.quarters,
      ...dates && { dates: toFilterDates(dates) },
      ...answer.total === 0 && { without: await countWithout(collection, context) },
    },
    options: spellings.shown,
    ...lifetime,
    ...found.shortLived && { shortLived: found.shortLived },
  };
}

function toFilterDates({ rest, asked }: NonNullable<ParsedSearch["dates"]>) {
  const { release_date_from = "", release_date_to = "", due = "" } = asked;
  return { rest, release_date_from, release_date_to, due };
}

async function readList(
  collection: CollectionQuery,
  { sort: chosen }: SearchQuery,
  context: ViewContext,
): Promise<Found> {
  // Unless another order is chosen, the best match comes first, and without words what comes soonest.
  const usual = collection.q === undefined ? "soonest" : "relevance";
  const sort = (chosen || usual) as ItemSort;
  const wanted = { ...collection, sort, page_size: LIST_SIZE };
  const { items, pagination, ...found } = await readCollection(wanted, context);
  const moves = await readMovedFrom(
    context.services.database,
    items.map(({ release_item_id }) => release_item_id),
    collection.as_of,
  );
  const marks = toMarks(found.filter);
  return {
    answer: {
      items: items.map((item) =>
        toFoundItem(context.site.variant, item, {
          marks,
          movedFrom: moves.get(item.release_item_id),
        })
      ),
      total: pagination.total_items,
      page: pagination.page,
      totalPages: pagination.total_pages,
      mode: found.mode,
      marks,
    },
    found,
  };
}

/** The values of each list that the form shows. */
function listedValues(options: FilterOptions<ListedValues>, collection: CollectionQuery) {
  const { product_name = [], release_type = [], release_status = [] } = collection;
  const { tag = [], source = [] } = collection;
  return {
    product_name: [...options.product_names.values, ...product_name],
    release_type: [...options.release_types.values, ...release_type],
    release_status: [...options.release_statuses.values, ...release_status],
    tag: [...listTags(options.tags).values, ...tag],
    source: [...options.sources.values, ...source],
  };
}
