import { TryApi } from "../../islands/api/try_api.tsx";
import { operationsOf } from "../../islands/api/api_operations.ts";
import { Island } from "../../lib/ui/island.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import { describeApi } from "../api/describe_api.ts";
import type { ReadHandler } from "../route.ts";

/** The API reference as a page where each operation can be tried. */
export const apiPage: ReadHandler = {
  read: (_input, context) => ({
    normalised: null,
    async build() {
      const { services, site } = context;
      const [newest, listed] = await Promise.all([
        services.selections.select({ include_inactive: false }),
        services.listedOptions.read(),
      ]);
      const [exampleId = ""] = newest.slice(0, 1);
      const operations = operationsOf(describeApi(context), {
        product_name: listed.product_names.values,
        release_type: listed.release_types.values,
        release_status: listed.release_statuses.values,
        source: listed.sources.values,
      });
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
              Everything on this site, as an API. The full reference is{" "}
              <a href={`${site.path}/openapi.json`}>openapi.json</a>{" "}
              (OpenAPI 3.1). Reading needs no key and works from any origin.
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
