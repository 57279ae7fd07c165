import { formatOpenapi, type Operation } from "../../lib/http/openapi.ts";
import { VERSION } from "../../lib/version.ts";
import { type Context, json, type ReadHandler } from "../route.ts";

/** The description of the API as OpenAPI 3.1. */
export const openapi: ReadHandler = {
  read: (_input, context) => ({
    normalised: null,
    build() {
      const { services: { config }, site } = context;
      const info = { title: config.SITE_NAME, version: VERSION, url: site.url };
      return Promise.resolve(json(formatOpenapi(info, listOperations(context))));
    },
  }),
};

/** The operations of a site's API. */
export function listOperations({ site, routes }: Context): Operation[] {
  return routes.flatMap(({ method, path, summary, cache, describe }) =>
    describe
      ? { method, path, summary, isCached: cache !== "never", description: describe(site.variant) }
      : []
  );
}
