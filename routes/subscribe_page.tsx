import { type PreferenceList, SubscribeForm } from "../islands/subscribe_form.tsx";
import { readListedOptions } from "../lib/roadmap/filter_options_sql.ts";
import { MOST_VALUES } from "../lib/delivery/subscription_request.ts";
import { type ListedValues, tellUnlisted } from "../lib/roadmap/listed_values.ts";
import { Island } from "../lib/ui/island.tsx";
import { Layout } from "../lib/ui/layout.tsx";
import { pageContent } from "../lib/ui/render_page.ts";
import type { ReadHandler } from "./route.ts";

/** A list of preferences is chosen by its own name, or by that of the filter of a search. */
const FILTER_NAMES = {
  products: "product_name",
  types: "release_type",
  statuses: "release_status",
} as const;

/** The form to subscribe by mail, with the preferences that the address names. */
export const subscribePage: ReadHandler = {
  read({ query }, context) {
    const preferred = {
      products: preferencesIn(query, "products"),
      types: preferencesIn(query, "types"),
      statuses: preferencesIn(query, "statuses"),
    };
    return {
      normalised: preferred,
      async build() {
        const { services, site } = context;
        const options = await readListedOptions(services.database);
        const lists: PreferenceList[] = [
          listOf("products", "Products", options.product_names),
          listOf("types", "Types", options.release_types),
          listOf("statuses", "Statuses", options.release_statuses),
        ];
        // A wish that no release fulfils now stays a wish: without it the mails would tell of all.
        function listOf(
          name: PreferenceList["name"],
          title: string,
          listed: ListedValues,
        ): PreferenceList {
          const values = [...new Set([...listed.values, ...preferred[name]])];
          return { name, title, values, hint: tellUnlisted(listed, title.toLowerCase()) };
        }
        return pageContent(
          <Layout
            title="Subscribe"
            frame={context}
            path="/subscribe"
            description={`Get a mail when the roadmap of ${services.config.siteName} changes.`}
          >
            <div class="intro">
              <h1>Subscribe</h1>
              <p>Get a mail when the roadmap changes: all of it, or just what you choose here.</p>
            </div>
            <Island
              name="subscribe"
              component={SubscribeForm}
              props={{ path: site.path, lists, chosen: preferred }}
              frame={context}
            />
          </Layout>,
        );
      },
    };
  },
};

/** Each value once, as many as can be sent, sorted, so that requests for the same share one page. */
function preferencesIn(query: URLSearchParams, list: PreferenceList["name"]): string[] {
  const given = [...query.getAll(list), ...query.getAll(FILTER_NAMES[list])];
  return [...new Set(given.filter((value) => value !== ""))].slice(0, MOST_VALUES).sort();
}
