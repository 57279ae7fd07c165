import { dayOf } from "../../lib/text/cadence.ts";
import { previewDigest } from "../../lib/delivery/sample_mail.ts";
import { readMailBody } from "../../lib/delivery/mail/mail_body.ts";
import type { Preferences } from "../../lib/delivery/subscriptions/subscriptions_sql.ts";
import { PREFERENCES } from "../../lib/delivery/subscriptions/subscription_request.ts";
import { readForm } from "../../lib/http/requests/body.ts";
import { parseShape } from "../../lib/http/requests/parameters.ts";
import {
  filterOf,
  PREFERENCE_NAMES,
  readPreferenceForm,
} from "../../lib/roadmap/filter/preference_lists.ts";
import { mistakesIn } from "../../lib/ui/form_mistakes.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { pageContent } from "../../lib/ui/render_page.tsx";
import type { ActionHandler, ReadConfig, ReadHandler, ReadHandlers } from "../route.ts";
import { mailHeaders } from "../../lib/http/responses/page_headers.ts";
import { readCadence, readPreferred } from "../(_components)/preferred_lists.ts";
import { answerRefused } from "./index.tsx";
import { say } from "../../lib/text/messages.ts";

const PATH = "/subscribe/preview";

const MAIL_HEADERS = { ...mailHeaders("'none'"), "X-Robots-Tag": "noindex" };

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: {
    GET: "The email that a subscription with these preferences would get",
    POST: "Redirects to the preview of the preferences in a form",
  },
};

/** The email that the preferences in an address would bring, with what changed last. */
const GET: ReadHandler = {
  read({ query }, context) {
    const preferred = readPreferred(query);
    const cadence = readCadence(query);
    // What no subscription could hold is refused here, too.
    parseShape(PREFERENCES, { ...preferred, cadence });
    return {
      normalised: { ...preferred, cadence },
      async build() {
        const { services: { database, config, clock }, site } = context;
        const preferences: Preferences = {
          filter: filterOf(preferred),
          scope: Object.values(preferred).some((values) => values.length > 0) ? "chosen" : "all",
          releases: [],
          cadence,
          upcoming: cadence === "weekly",
          reminders: true,
        };
        const chosen = toQuery(preferred, cadence);
        const back = `/subscribe?${chosen}`;
        const preferencesUrl = site.url + back;
        const mail = await previewDigest(preferences, {
          database,
          variant: site.variant,
          site: {
            siteName: config.SITE_NAME,
            siteUrl: site.url,
            unsubscribeUrl: preferencesUrl,
            preferencesUrl,
          },
          previewUrl: `${site.url}${PATH}?${chosen}`,
          today: dayOf(clock(), config.DIGEST_ZONE),
        });
        if (mail !== null) {
          const body = readMailBody(mail.html);
          return { contentType: "text/html; charset=utf-8", body, headers: MAIL_HEADERS };
        }
        return pageContent(
          <Layout title={say("subscribe.no_email_to_show")} context={context}>
            <div class="prose">
              <h1>{say("subscribe.no_email_to_show")}</h1>
              <p>
                {say("subscribe.no_news")}
              </p>
              <p>
                <a href={site.path + back}>{say("subscribe.back_to_your_choices")}</a>
              </p>
            </div>
          </Layout>,
        );
      },
    };
  },
};

/** Leads from the form to the preview of its choices; the email address stays out of the address. */
const POST: ActionHandler = {
  async answer(request, _, context) {
    const form = await readForm(request);
    const { lists } = readPreferenceForm(form);
    try {
      parseShape(PREFERENCES, { ...lists, cadence: form.get("cadence") || null });
    } catch (error) {
      return await answerRefused(request, { form, mistakes: mistakesIn(error) }, context);
    }
    const location = `${context.site.path}${PATH}?${toQuery(lists, readCadence(form))}`;
    return new Response(null, {
      status: 303,
      headers: { "Location": location, "Cache-Control": "no-store" },
    });
  },
};

export const handler: ReadHandlers = { GET, POST };

function toQuery(
  lists: Readonly<Record<(typeof PREFERENCE_NAMES)[number], readonly string[]>>,
  cadence: string,
): URLSearchParams {
  const values = PREFERENCE_NAMES.flatMap((name) => lists[name].map((value) => [name, value]));
  return new URLSearchParams([...values, ["cadence", cadence]]);
}
