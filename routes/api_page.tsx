import { TryApi } from "../islands/try_api.tsx";
import { operationsOf } from "../islands/api_operations.ts";
import { Island } from "../lib/ui/island.tsx";
import { Layout } from "../lib/ui/layout.tsx";
import { pageContent } from "../lib/ui/render_page.ts";
import { describeApi } from "./openapi.ts";
import type { ReadRoute, Route } from "./route.ts";

/** The description of these routes as a page, from which each of them can be tried. */
export function apiPageOf(routes: () => readonly Route[]): ReadRoute {
  return {
    method: "GET",
    path: "/api",
    summary: "The API, with examples that run",
    cache: "page",
    read: (_asked, context) => ({
      normalised: null,
      async build() {
        const { services, site } = context;
        const newest = await services.selections.select(
          { include_inactive: false },
        );
        const [exampleId = ""] = newest.slice(0, 1);
        const operations = operationsOf(describeApi(routes(), context));
        return pageContent(
          <Layout
            title="API"
            frame={context}
            path="/api"
            description={`The API of ${services.config.siteName}, with examples that run.`}
          >
            <div class="intro">
              <h1>API</h1>
              <p>
                Everything on these pages, for programs. All of it is described in{" "}
                <a href={`${site.path}/openapi.json`}>openapi.json</a>{" "}
                (OpenAPI 3.1). Reading needs no key, from any origin.
              </p>
            </div>
            <Island
              name="try_api"
              component={TryApi}
              props={{ path: site.path, url: site.url, operations, exampleId }}
              frame={context}
            />
          </Layout>,
        );
      },
    }),
  };
}
