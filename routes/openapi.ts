import { formatOpenapi, type Json } from "../lib/http/openapi.ts";
import settings from "../deno.json" with { type: "json" };
import { type Context, json, type ReadRoute, type Route } from "./route.ts";

/** The description of the API that some routes make, for one site. */
export function describeApi(routes: readonly Route[], { services, site }: Context): Json {
  const operations = routes
    .filter(({ isIn }) => !isIn || isIn(site.variant))
    .flatMap(({ method, path, summary, cache, describe }) => {
      if (!describe) return [];
      const { path: pathParameters, ...description } = describe(site.variant);
      const isCached = cache !== "never";
      return { method, path, summary, isCached, pathParameters, ...description };
    });
  const { siteName } = services.config;
  return formatOpenapi({ title: siteName, version: settings.version, url: site.url }, operations);
}

/** The description of these routes as OpenAPI 3.1. */
export function openapiOf(routes: () => readonly Route[]): ReadRoute {
  return {
    method: "GET",
    path: "/openapi.json",
    summary: "The description of the API as OpenAPI 3.1",
    cache: "page",
    read: (_asked, context) => ({
      normalised: null,
      build: () => Promise.resolve(json(describeApi(routes(), context))),
    }),
  };
}
