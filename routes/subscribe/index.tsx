import { CopyLink } from "../../components/copy_buttons.tsx";
import { Name } from "../../components/name.tsx";
import { filterQuery } from "../../components/search/search_query.ts";
import { describeUnknown, SENT } from "../../components/send_subscription.ts";
import { readPreferenceLists } from "../../lib/delivery/subscriptions/preference_lists.ts";
import { listCadences } from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import { requestSubscription } from "../../lib/delivery/subscriptions/subscription_request.ts";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import { readForm } from "../../lib/http/requests/body.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { type ChangeKind, KINDS_IN_WORDS } from "../../lib/roadmap/changes/kinds.ts";
import { CALENDAR_PATH, FEEDS, webcalAddress } from "../../lib/roadmap/feed_addresses.ts";
import {
  describeFilter,
  type FilterValues,
  readFilterValues,
} from "../../lib/roadmap/filter/filter_values.ts";
import { readPreferenceForm } from "../../lib/roadmap/filter/preference_lists.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import { cleanName } from "../../lib/text/plain_text.ts";
import type { SiteFrame } from "../../lib/ui/brand.tsx";
import { followQuery, Layout } from "../../lib/ui/layout.tsx";
import { answerPage, LostLink } from "../../lib/ui/link_page.tsx";
import { PreferenceFields, type PreferenceFieldsProps } from "../../lib/ui/preferences_form.tsx";
import { pageContent, Scripts } from "../../lib/ui/render_page.tsx";
import { readCadence, readPreferred, scopeOf } from "../(_components)/preferred_lists.ts";
import type { ActionHandler, Context, ReadConfig, ReadHandler, ReadHandlers } from "../route.ts";

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
              <p>Only when something changes. Unsubscribe anytime with one click.</p>
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
    const { limits } = context.services;
    const { form, accepted } = await limits.takeSubscribing(address, async () => {
      const form = await readForm(request);
      return { form, accepted: await requestSubscription(readFields(form), context) };
    });
    const { unknown = {}, ignored = [] } = accepted;
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
  const names = new Set(form.keys());
  const fields = Object.fromEntries([...names].map((name) => [name, form.getAll(name)]));
  const given = { ...fields, email: form.get("email") ?? "", cadence: form.get("cadence") || null };
  if (!form.has("scope")) return given;
  const { scope: _, every: __, ...rest } = given as Record<string, unknown>;
  const { lists, problems } = readPreferenceForm(form);
  if (problems.length === 0) return { ...rest, ...lists };
  throw new Problem(400, problems.join(" "));
}

/** The form to subscribe; with a script the answer stands in place (scripts/email_form.ts). */
function SubscribeForm({ frame, ...fields }: PreferenceFieldsProps & { frame: SiteFrame }) {
  const { services: { assets }, site: { path } } = frame;
  return (
    <form class="subscribe-form" action={`${path}/subscribe`} method="post">
      <p class="answer" role="status" tabIndex={-1} />
      <PreferenceFields {...fields} />
      <div class="field">
        <label for="email">Email address</label>
        <div class="send">
          <input
            id="email"
            name="email"
            type="email"
            required
            maxLength={254}
            autocomplete="email"
            placeholder="you@company.com"
            aria-describedby="email-hint"
          />
          <button type="submit">Subscribe</button>
          <button
            type="submit"
            class="second"
            formAction={`${path}/subscribe/preview`}
            formNoValidate
          >
            Preview this email
          </button>
        </div>
        <p class="hint" id="email-hint">
          We'll send you a link to confirm. Every email has links to change your preferences and to
          unsubscribe.
        </p>
      </div>
      <Scripts files={assets.scriptsOf("subscribe")} frame={frame} />
    </form>
  );
}

/** Every way to follow a part of the roadmap that needs no email address. */
function FollowWays(
  { frame: { site }, filter, kinds }: {
    frame: SiteFrame;
    filter: FilterValues;
    /** Of changes, which feeds can be narrowed to. */
    kinds: readonly ChangeKind[];
  },
) {
  const query = filterQuery(filter);
  const feedQuery = followQuery(filter, kinds);
  const named = kinds.map((kind) => KINDS_IN_WORDS[kind].name.toLowerCase());
  const [rss] = FEEDS;
  const rssAddress = site.url + rss.path + feedQuery;
  const calendar = site.url + CALENDAR_PATH + query;
  return (
    <section class="follow-ways">
      <h2>Without email</h2>
      <p class="quiet">{describeFilter(filter) || "All releases"}</p>
      <dl>
        <dt>Feed reader</dt>
        <dd>
          {named.length > 0 && <p class="quiet">Only changes: {named.join(", ")}</p>}
          <FeedLinks site={site} query={feedQuery} />
        </dd>
        <dt>Calendar</dt>
        <dd>
          <p>
            <a href={webcalAddress(calendar)}>Add to calendar</a>{" "}
            <CopyLink address={calendar} label="Copy address" />
          </p>
        </dd>
        <dt>Spreadsheet</dt>
        <dd>
          <p>
            <a href={`${site.path}/releases.csv${query}`}>Download as CSV</a>
          </p>
        </dd>
        <dt>Slack</dt>
        <dd>
          <p>
            In a channel with the RSS app: <code>/feed subscribe {rssAddress}</code>{" "}
            <CopyLink address={`/feed subscribe ${rssAddress}`} label="Copy command" />
          </p>
        </dd>
        <dt>Microsoft Teams</dt>
        <dd>
          <p>
            Add the RSS app to a channel, and paste this address: <code>{rssAddress}</code>{" "}
            <CopyLink address={rssAddress} label="Copy address" />
          </p>
        </dd>
      </dl>
    </section>
  );
}

function FeedLinks({ site, query }: { site: Site; query: string }) {
  return (
    <>
      {FEEDS.map(({ name, path }) => (
        <p key={name}>
          <a href={site.path + path + query}>{name}</a>{" "}
          <CopyLink address={site.url + path + query} label={`Copy ${name}`} />
        </p>
      ))}
      {query === "" && (
        <p>
          <a href={`${site.path}/feeds.opml`}>A feed for each product (OPML)</a>
        </p>
      )}
    </>
  );
}
