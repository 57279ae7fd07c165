import { formatOpenapi, type Json } from "../../lib/http/openapi.ts";
import { VERSION } from "../../lib/version.ts";
import type { Context } from "../route.ts";

/** The OpenAPI description of a site's routes. */
export function describeApi({ services, site, routes }: Context): Json {
  const operations = routes.flatMap(({ method, path, summary, cache, describe }) =>
    describe
      ? { method, path, summary, isCached: cache !== "never", description: describe(site.variant) }
      : []
  );
  const { siteName } = services.config;
  return formatOpenapi({ title: siteName, version: VERSION, url: site.url }, operations);
}
