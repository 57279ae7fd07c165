import { readPreferenceLists } from "../../lib/delivery/subscriptions/preference_lists.ts";
import { listCadences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { readFilterValues } from "../../lib/roadmap/filter/filter_values.ts";
import { FollowWays } from "../../lib/ui/follow_ways.tsx";
import { SubscribeForm } from "../../lib/ui/subscribe_form.tsx";
import { Layout } from "../../lib/ui/layout.tsx";
import { answerPage, LostLink } from "../../lib/ui/link_page.tsx";
import { pageContent } from "../../lib/ui/render_page.ts";
import type { ActionHandler, Context, ReadConfig, ReadHandler, ReadHandlers } from "../route.ts";
import { readCadence, readPreferred, scopeOf } from "../(_components)/preferred_lists.ts";
import { readForm } from "../../lib/http/requests/body.ts";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import { describeUnknown, SENT } from "../../components/send_subscription.ts";
import { Name } from "../../components/name.tsx";
import { cleanName } from "../../lib/text/clean_name.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { readPreferenceForm } from "../../lib/roadmap/filter/preference_form.ts";
import { requestSubscription } from "../../lib/delivery/subscriptions/subscription_request.ts";

export const config: ReadConfig = {
  cache: "data",
  errors: "page",
  summary: {
    GET: "The form to subscribe by email",
    POST: "Requests a subscription from a form; responds with a page",
  },
};

/** The form to subscribe by mail, with the preferences that the address names. */
const GET: ReadHandler = {
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

/** The form of the subscribe page, sent without a script. */
const POST: ActionHandler = {
  async answer(request, { address }, context) {
    refuseCrossSite(request, context.services.config);
    const form = await readForm(request);
    const { unknown = {}, ignored = [] } = await requestSubscription(
      readFields(form),
      { ...context, address },
    );
    const watched = await findWatched(form, context);
    const { notes } = readPreferenceForm(form);
    const unlisted = Object.values(unknown).flat();
    return answerPage(request, {
      status: 202,
      title: "Check your inbox",
      children: (
        <>
          <p>{SENT}</p>
          {watched && (
            <p>
              Back to{" "}
              <a href={`${context.site.path}/release/${watched.release_item_id}`}>
                <Name text={cleanName(watched.feature_name)} />
              </a>
            </p>
          )}
          {notes.map((note) => <p key={note}>{note}</p>)}
          {unlisted.length > 0 && <p>{describeUnknown(unlisted)}</p>}
          {ignored.length > 0 && <p>Unknown fields ignored: {ignored.join(", ")}.</p>}
        </>
      ),
    }, context);
  },
};

export const handler: ReadHandlers = { GET, POST };

/** The release from whose page the form was sent, if it was. */
async function findWatched(form: URLSearchParams, { services }: Context) {
  const id = form.get("releases");
  return id === null ? undefined : await services.items.find(id.toLowerCase());
}

/** The fields of the API that a form stands for. */
function readFields(form: URLSearchParams): Record<string, unknown> {
  const fields = Object.fromEntries([...form.keys()].map((name) => [name, form.getAll(name)]));
  const given = { ...fields, email: form.get("email") ?? "", cadence: form.get("cadence") || null };
  if (!form.has("scope")) return given;
  const { scope: _, every: __, ...rest } = given as Record<string, unknown>;
  const { lists, problems } = readPreferenceForm(form);
  if (problems.length === 0) return { ...rest, ...lists };
  throw new Problem(400, problems.join(" "));
}
