import { isChangeKind } from "../../lib/roadmap/changes/kind_parameter.ts";
import { type ListName, RELEASE_LISTS } from "../../lib/roadmap/filter/preference_list.ts";
import { SubscribeForm } from "../../islands/subscribe/subscribe_form.tsx";
import { readPreferenceLists } from "../../lib/delivery/subscriptions/preference_lists.ts";
import { listCadences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { MAX_VALUES } from "../../lib/delivery/subscriptions/subscription_request.ts";
import { readFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { FollowWays } from "../../lib/ui/follow_ways.tsx";
import { Island } from "../../lib/ui/island.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import type { ReadHandler } from "../route.ts";

/** A list of preferences is chosen by its own name, or by that of the filter of a search. */
const FILTER_NAMES = {
  products: "product_name",
  types: "release_type",
  statuses: "release_status",
  tags: "tag",
  searches: "q",
  kinds: "kind",
} as const;

/** The form to subscribe by mail, with the preferences that the address names. */
export const subscribePage: ReadHandler = {
  read({ query }, context) {
    const preferred = {
      products: preferencesIn(query, "products"),
      types: preferencesIn(query, "types"),
      statuses: preferencesIn(query, "statuses"),
      tags: preferencesIn(query, "tags"),
      searches: preferencesIn(query, "searches"),
      kinds: preferencesIn(query, "kinds").filter(isChangeKind),
    };
    const followed = readFilterValues(query);
    return {
      normalised: { ...preferred, followed },
      async build() {
        const { services, site } = context;
        const { config, listedOptions } = services;
        const lists = await readPreferenceLists(listedOptions, preferred);
        return pageContent(
          <Layout
            title="Follow"
            frame={context}
            path="/subscribe"
            followed={followed}
            description={`Get an email when the ${config.siteName} roadmap changes.`}
          >
            <div class="intro">
              <h1>Follow the roadmap</h1>
              <p>Only when something changes. Leave at any time with one click.</p>
            </div>
            <div class="follow-columns">
              <Island
                name="subscribe"
                component={SubscribeForm}
                props={{
                  path: site.path,
                  scope: RELEASE_LISTS.some((name) => preferred[name].length > 0)
                    ? "chosen" as const
                    : "all" as const,
                  lists,
                  chosen: preferred,
                  cadences: listCadences(config.digestTimes),
                  cadence: "weekly" as const,
                }}
                frame={context}
              />
              <FollowWays frame={context} filter={followed} />
            </div>
          </Layout>,
        );
      },
    };
  },
};

/** Each value once, as many as can be sent, sorted, so that requests for the same share one page. */
function preferencesIn(query: URLSearchParams, list: ListName): string[] {
  const given = [...query.getAll(list), ...query.getAll(FILTER_NAMES[list])];
  return [...new Set(given.filter((value) => value !== ""))].slice(0, MAX_VALUES).sort();
}
