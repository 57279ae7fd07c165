import { readPreferenceLists } from "../../lib/delivery/subscriptions/preference_lists.ts";
import { listCadences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { readFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { FollowWays } from "../../lib/ui/follow_ways.tsx";
import { SubscribeForm } from "../../lib/ui/subscribe_form.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { LostLink } from "../../lib/ui/link_page.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import type { ReadHandler } from "../route.ts";
import { readCadence, readPreferred, scopeOf } from "./preferred_lists.ts";

/** The form to subscribe by mail, with the preferences that the address names. */
export const subscribePage: ReadHandler = {
  read({ query }, context) {
    const preferred = readPreferred(query);
    const cadence = readCadence(query);
    const followed = readFilterValues(query);
    return {
      normalised: { ...preferred, cadence, followed },
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
            description={`Get an email when the ${config.SITE_NAME} roadmap changes.`}
          >
            <div class="intro">
              <h1>Follow the roadmap</h1>
              <p>Only when something changes. Leave at any time with one click.</p>
            </div>
            <div class="follow-columns">
              <SubscribeForm
                scope={scopeOf(preferred)}
                lists={lists}
                chosen={preferred}
                cadences={listCadences(config.digestTimes, services.clock())}
                cadence={cadence}
                frame={context}
              />
              <FollowWays frame={context} filter={followed} kinds={preferred.kinds} />
            </div>
            <section class="prose">
              <h2>Lost your link?</h2>
              <LostLink action={`${site.path}/send-preferences-link`} />
            </section>
          </Layout>,
        );
      },
    };
  },
};
