import { pageSizeOf, type SearchQuery } from "../islands/search_query.ts";
import type { SearchAnswer } from "../islands/search_answer.ts";
import { Search } from "../islands/search.tsx";
import { countByQuarter } from "../lib/roadmap/overview_sql.ts";
import { readListedOptions } from "../lib/roadmap/filter_options_sql.ts";
import type { CollectionQuery } from "../lib/roadmap/collection.ts";
import { parseCollection } from "../lib/roadmap/collection_query.ts";
import { filterPairs, readFilterValues } from "../lib/roadmap/filter_values.ts";
import { readCollection } from "../lib/search/read_collection.ts";
import { formatQuarter } from "../lib/text/dates.ts";
import { toFoundItem } from "../lib/roadmap/found_item.ts";
import { choice, parseParameters } from "../lib/http/parameters.ts";
import { Island } from "../lib/ui/island.tsx";
import { LastVisit } from "../lib/ui/last_visit.tsx";
import { Layout } from "../lib/ui/layout.tsx";
import { Overview } from "../lib/ui/overview.tsx";
import { pageContent } from "../lib/ui/render_page.ts";
import { z } from "zod";
import { type AskingContext, type ReadHandler, today } from "./route.ts";

/** The size of a page without its releases; most of it is the lists of the form. */
const FRAME_BYTES = 256 * 1024;

const VIEW_QUERY = z.object({ view: choice(["board"]) });

/** The roadmap: a search that works without scripts, as a list or a board. */
export const searchPage: ReadHandler = {
  read({ query, client }, context) {
    const collection = parseCollection(query, context.site.variant);
    const { view = "" } = parseParameters(VIEW_QUERY, query);
    const search = toSearch(collection, view);
    return {
      normalised: search,
      bytes: async () => {
        const { bytes } = await context.services.pageSizes.fit(pageSizeOf(search));
        return bytes + FRAME_BYTES;
      },
      build: () => build(collection, search, { ...context, client }),
    };
  },
};

/** The search as the state of its form. */
function toSearch(collection: CollectionQuery, view: string): SearchQuery {
  const { sort = "", order = "", page } = collection;
  const filter = readFilterValues(new URLSearchParams(filterPairs(collection)));
  return { ...filter, sort: sort === "relevance" ? "" : sort, order, view, page };
}

async function build(collection: CollectionQuery, search: SearchQuery, context: AskingContext) {
  const { services, site } = context;
  const wanted: CollectionQuery = {
    ...collection,
    // The best match comes first, unless another order is chosen.
    sort: search.view === "board" ? "release_date" : collection.sort ?? "relevance",
    page_size: pageSizeOf(search),
  };
  const [options, found, counts] = await Promise.all([
    readListedOptions(services.database),
    readCollection(wanted, context),
    countByQuarter(services.database, today(services)),
  ]);
  const answer: SearchAnswer = {
    items: found.items.map((item) => toFoundItem(site.variant, item, search.q)),
    total: found.pagination.total_items,
    page: found.pagination.page,
    totalPages: found.pagination.total_pages,
    byMeaning: found.mode === "semantic",
  };
  const { siteName } = services.config;
  const choices = { ...options, showsInactive: site.variant.showsInactive };
  const quarter = formatQuarter(today(services));
  const page = pageContent(
    <Layout
      title={search.q ? `Search: ${search.q}` : siteName}
      frame={context}
      path="/"
      followed={search}
      description={`The release roadmap of ${siteName}: what is planned, what has shipped, and when.`}
    >
      <div class="intro">
        <h1>Roadmap</h1>
        <p>What is planned, what has shipped, and when.</p>
        <LastVisit frame={context} />
      </div>
      <div class="search-page">
        <Island
          name="search"
          component={Search}
          props={{
            path: site.path,
            url: site.url,
            siteName,
            choices,
            quarter,
            query: search,
            answer,
          }}
          frame={context}
        />
        <Overview counts={counts} quarter={quarter} />
      </div>
    </Layout>,
  );
  return { ...page, shortLived: found.shortLived, onlyFor: found.onlyFor };
}
