import { formatOpenapi, type Operation } from "../lib/http/openapi.ts";
import { VERSION } from "../lib/version.ts";
import { type Context, json, type ReadConfig, type ReadHandlers } from "./route.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "json",
  summary: "The description of the API as OpenAPI 3.1",
};

export const handler: ReadHandlers = {
  GET: {
    read: (_input, context) => ({
      normalised: null,
      build() {
        const { services: { config }, site } = context;
        const info = { title: config.SITE_NAME, version: VERSION, url: site.url };
        return Promise.resolve(json(formatOpenapi(info, listOperations(context))));
      },
    }),
  },
};

/** What most people look for goes first. */
const GROUPS = ["Releases", "Changes", "Feeds", "Subscriptions", "Administration"];

/** The operations of a site's API by their groups, in each of them those of releases first. */
export function listOperations({ site, routes }: Context): Operation[] {
  const operations = routes.flatMap(({ method, path, summary, cache, describe }) =>
    describe
      ? { method, path, summary, isCached: cache !== "never", description: describe(site.variant) }
      : []
  );
  const place = ({ path, description: { tag } }: Operation) =>
    GROUPS.indexOf(tag) * 2 + (path.startsWith("/api/releases") ? 0 : 1);
  return operations.sort((one, other) => place(one) - place(other));
}
