import { z } from "zod";
import { parseParameters, uuid } from "../../../lib/http/requests/parameters.ts";
import { problemAnswer } from "../../../lib/http/openapi.ts";
import type { Content } from "../../../lib/http/responses/representation.ts";
import {
  AS_OF_QUERY,
  COLLECTION_QUERY,
  type CollectionQuery,
  collectionSchema,
  formatCollection,
  linkPages,
  parseAsOf,
  parseCollection,
} from "../../../lib/roadmap/collection.ts";
import { findRelease } from "../../../lib/roadmap/releases.ts";
import { type CollectionContext, readCollection } from "../../../lib/search/search.ts";
import { roadmapAsOf } from "../../../lib/service/services.ts";
import { type Context, json, type ReadConfig, type ReadHandlers, today } from "../../route.ts";

const ITEM_QUERY = z.object({
  release_item_id: uuid().optional()
    .describe(
      "A single release: all other parameters are ignored, and the response has no envelope",
    ),
});

export const config: ReadConfig = {
  cache: "variant",
  errors: "json",
  summary: "Releases, with filters, search, sorting and pages; or a single one",
};

/** Interface specification, 4.2: a collection, or one item. */
export const handler: ReadHandlers = {
  GET: {
    describe: (variant) => ({
      tag: "Releases",
      details:
        "Filters are combined; a repeated filter matches any of its values. Follow `links.next` " +
        "until it is null. A parameter outside its range is set to the nearest bound.",
      query: COLLECTION_QUERY.extend(ITEM_QUERY.shape).extend(AS_OF_QUERY.shape)
        .omit(variant.showsInactive ? {} : { include_inactive: true }),
      answers: {
        200: {
          description: "A page of releases, or a single one if `release_item_id` is given",
          schema: z.union([collectionSchema(variant.itemSchema), variant.itemSchema]),
          headers: {
            "Link": 'The next and previous page, with rel="next" and rel="prev" (RFC 8288); ' +
              "omitted if it would be longer than 2 KB",
            "X-Search-Mode":
              "How `q` was searched: `words`, `similar`, `any-word`, `related`, `substring` or `semantic`",
          },
        },
        404: problemAnswer("Release not found"),
      },
    }),
    read({ query, client }, context) {
      const { release_item_id: id } = query.has("release_item_id")
        ? parseParameters(ITEM_QUERY, query)
        : {};
      if (id) {
        return {
          normalised: id,
          build: () => buildItem(id, context),
        };
      }
      const { services, site } = context;
      const as_of = parseAsOf(query, today(services));
      const collection = { ...parseCollection(query, site.variant), as_of };
      const roadmap = roadmapAsOf(services, as_of, collection.date_name);
      return {
        normalised: collection,
        build: () => buildCollection(collection, { services: roadmap, site, client }),
      };
    },
  },
};

async function buildCollection(
  query: CollectionQuery,
  context: CollectionContext,
): Promise<Content> {
  const { site } = context;
  const { items, pagination, mode, ...lifetime } = await readCollection(query, context);
  const links = linkPages(`${site.path}/api/releases`, query, pagination);
  const { body, headers } = formatCollection(site.variant, { items, pagination, links });
  return {
    contentType: "application/json; charset=utf-8",
    body,
    ...lifetime,
    headers: { ...headers, ...mode && { "X-Search-Mode": mode } },
  };
}

async function buildItem(id: string, context: Context): Promise<Content> {
  const item = await findRelease(id, context);
  return { ...json(context.site.variant.formatItem(item)), lastModified: item.last_modified };
}
