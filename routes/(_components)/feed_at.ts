import { byDate } from "../../lib/service/services.ts";
import { z } from "zod";
import { type FeedFormat, toEntry } from "../../lib/feeds/entry.ts";
import { wholeNumber } from "../../lib/http/requests/parameters.ts";
import { readTimeOfData } from "../../lib/import/import_runs_sql.ts";
import { type FeedItem, readFeedItems, readRecentItems } from "../../lib/feeds/feed_items_sql.ts";
import { kindParameter } from "../../lib/roadmap/changes/changes_query.ts";
import type { ChangeKind } from "../../lib/roadmap/changes/kinds.ts";
import { titleFeed } from "../../lib/roadmap/feed_addresses.ts";
import {
  FILTER,
  type Filter,
  type ItemFilter,
  parseFilter,
  resolveFilter,
} from "../../lib/roadmap/filter/filter.ts";
import { filterPairs, toFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { NEWEST_FIRST } from "../../lib/roadmap/items_sql.ts";
import { formatPairs } from "../../lib/roadmap/collection.ts";
import { findReleases } from "../../lib/search/search.ts";
import { type ClientContext, type Context, type ReadHandler, today } from "../route.ts";
import { say } from "../../lib/text/messages.ts";

const DEFAULT_ENTRIES = 25;

/** The most recently modified releases, as a feed. */
export function feedAt(path: string, format: FeedFormat): ReadHandler {
  const schema = z.object({
    ...FILTER,
    kind: kindParameter(),
    limit: wholeNumber({ min: 1, max: format.maxEntries }).default(DEFAULT_ENTRIES)
      .describe("Maximum number of releases"),
  });
  return {
    describe: ({ showsInactive }) => ({
      tag: "Feeds",
      details:
        "Each entry is a release with its latest changes, last modified first. Its id changes " +
        "with each day of changes, so that feed readers show it again.",
      query: schema.omit(showsInactive ? {} : { include_inactive: true }),
      answers: {
        200: {
          description: `The feed, ${format.name}`,
          contentType: format.mediaType,
          schema: format.schema,
        },
      },
    }),
    read({ query, client }, context) {
      const { site, services: { config } } = context;
      const { limit, kind, ...filter } = parseFilter(schema, query, site.variant);
      return {
        normalised: { limit, kind, ...filter },
        async build() {
          const { items, ...lifetime } = await readFeed({ filter, kind, limit }, {
            ...context,
            client,
          });
          const entries = items.map((item) => toEntry(site, item));
          const updated = entries.map(({ updated }) => updated).toSorted().at(-1) ??
            await readTimeOfData(context.services.database);
          const { self, hub } = addressFeed(path, { filter, kind, limit }, context);
          const body = format.write({
            ...describeChannel(filter, context),
            description: say("feed.description", { site: config.SITE_NAME }),
            self,
            hub,
            updated,
            entries,
          });
          return {
            contentType: `${format.mediaType}; charset=utf-8`,
            body,
            ...lifetime,
            // WebSub, section 4.1.
            headers: {
              Link: `${hub === null ? "" : `<${hub}>; rel="hub", `}<${self}>; rel="self"`,
            },
          };
        },
      };
    },
  };
}

/** The address of a feed, and the hub that is notified of its changes. */
function addressFeed(
  path: string,
  { filter, kind = [], limit }: { filter: Filter; kind?: ChangeKind[]; limit: number },
  { site, services: { config } }: Context,
): { self: string; hub: string | null } {
  const pairs = [
    ...filterPairs(filter),
    ...kind.map((value) => ["kind", value] as const),
    ...limit === DEFAULT_ENTRIES ? [] : [["limit", String(limit)] as const],
  ];
  return {
    self: site.url + path + formatPairs(pairs),
    // A hub is notified of whole feeds: who subscribed to another one there would wait for ever.
    hub: pairs.length === 0 ? config.WEBSUB_HUB : null,
  };
}

/** The metadata of a feed or calendar. */
export function describeChannel(filter: Filter, { services: { config }, site }: Context) {
  return {
    title: titleFeed(toFilterValues(filter), config.SITE_NAME),
    author: config.SITE_NAME,
    page: `${site.url}/${formatPairs(filterPairs(filter))}`,
    ttl: site.variant.freshSeconds / 60,
  };
}

/** The newest results of a search. */
async function readFeed(
  { filter, kind: kinds, limit }: { filter: Filter; kind?: ChangeKind[]; limit: number },
  asked: ClientContext,
) {
  const services = byDate(asked.services, filter.date_name);
  const { client, site } = asked;
  const { variant } = site;
  const resolved: ItemFilter = {
    ...resolveFilter(filter, today(services)),
    ...kinds && { changed: { kinds, precision: variant.datePrecision } },
  };
  const found = await findReleases(resolved, { services, site, client }, {
    order: NEWEST_FIRST,
    isRule: true,
  });
  const query = { limit, view: variant, ...kinds && { kinds } };
  const items: FeedItem[] = found.selection
    ? await readFeedItems(services.database, found.selection.slice(0, limit), query)
    : await readRecentItems(services.database, found.filter, query);
  return { items, shortLived: found.shortLived };
}
