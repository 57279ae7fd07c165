import { Switch } from "../../components/switch.tsx";
import { describeLists } from "../delivery/subscriptions/preferences_in_words.ts";
import type { FilterValues } from "../roadmap/filter/filter_values.ts";
import {
  describeUnstored,
  type PreferenceList,
  type PreferenceLists,
} from "../roadmap/filter/preference_lists.ts";
import { joinParts } from "../text/phrases.ts";
import type { Cadence } from "../text/cadence.ts";
import type { PageContext } from "./brand.tsx";
import { EmailInput } from "./email_form.tsx";
import { FollowWays } from "./follow_ways.tsx";
import { FormMistake, Mistake, type Mistakes } from "./form_mistakes.tsx";
import { followQuery, Layout } from "./layout.tsx";
import { LostLink } from "./link_page.tsx";
import { PreferenceFields, type PreferenceFieldsProps } from "./preferences_form.tsx";
import { Scripts } from "./render_page.tsx";
import { say } from "../text/messages.ts";

/** What the page to subscribe shows. */
export interface SubscribePageProps {
  lists: readonly PreferenceList[];
  chosen: PreferenceLists;
  cadences: PreferenceFieldsProps["cadences"];
  cadence: Cadence;
  /** The same releases, as a feed has them. */
  followed: FilterValues;
  /** Without an email address. */
  isByFeed?: boolean;
  /** What was sent and could not be used. */
  sent?: { email: string; mistakes: Mistakes };
  context: PageContext;
}

/** The ways to follow the roadmap: by email, or by a feed. */
export function SubscribePage(props: SubscribePageProps) {
  const { chosen, followed, isByFeed = false, sent, context } = props;
  const { services: { config, assets }, site } = context;
  const unstored = describeUnstored(followed);
  const address = (by: Readonly<Record<string, string>>) =>
    `${site.path}/subscribe${queryOf(props, by)}`;
  return (
    <Layout
      title={say("layout.follow")}
      context={context}
      path={sent ? undefined : "/subscribe"}
      followed={followed}
      description={say("subscribe.description", { site: config.SITE_NAME })}
    >
      <div class="subscribe-page">
        <div class="intro">
          <h1>{say("subscribe.follow_the_roadmap")}</h1>
          <p>{say("subscribe.we_only_email_you")}</p>
          {unstored.length > 0 && !isByFeed && (
            <p class="notice">{say("subscribe.unstored", { filters: joinParts(unstored) })}</p>
          )}
        </div>
        <div id="ways">
          <Switch
            label={say("subscribe.ways_to_follow")}
            choices={[
              {
                words: say("subscribe.by_email"),
                link: { href: address({}) },
                isCurrent: !isByFeed,
              },
              {
                words: say("subscribe.without_email"),
                link: { href: address({ by: "feed" }), rel: "nofollow" },
                isCurrent: isByFeed,
              },
            ]}
          />
        </div>
        {isByFeed ? <FollowWays site={site} filter={followed} kinds={chosen.kinds} /> : (
          <>
            <SubscribeForm {...props} />
            <details class="lost-link">
              <summary>{say("subscribe.already_subscribed_get_the")}</summary>
              <LostLink action={`${site.path}/send-preferences-link`} />
            </details>
          </>
        )}
      </div>
      {["in_place", "preferences"].map((name) => (
        <Scripts key={name} files={assets.scriptsOf(name)} context={context} />
      ))}
    </Layout>
  );
}

/** The form to subscribe; with a script the answer stands in place (scripts/in_place.ts). */
function SubscribeForm({ lists, chosen, cadences, cadence, sent, context }: SubscribePageProps) {
  const { services: { config }, site: { path } } = context;
  return (
    <form
      id="subscription"
      class="subscribe-form card"
      action={`${path}/subscribe`}
      method="post"
      data-live="ways will-come"
      data-morph="subscription"
    >
      <p class="answer" role="status" tabIndex={-1} />
      <FormMistake
        mistakes={sent?.mistakes}
        fields={["email", "cadence", ...lists.map(({ name }) => name)]}
      />
      <PreferenceFields
        lists={lists}
        chosen={chosen}
        cadences={cadences}
        cadence={cadence}
        mistakes={sent?.mistakes}
      />
      <div class="field address">
        <label for="email">{say("subscribe.your_email_address")}</label>
        <div class="send">
          <EmailInput
            value={sent?.email}
            hint="email-hint"
            mistakes={sent?.mistakes}
          />
          <button type="submit">{say("subscribe.subscribe")}</button>
        </div>
        <Mistake of="email" mistakes={sent?.mistakes} />
        <p class="will-come" id="will-come" aria-live="polite">
          {describeLists(chosen, cadence, config.digestTimes)}
        </p>{" "}
        <button
          type="submit"
          class="as-link"
          formAction={`${path}/subscribe/preview`}
          formNoValidate
        >
          {say("subscribe.preview_this_email")}
        </button>
        <p class="hint" id="email-hint">{say("subscribe.well_send_you_a")}</p>
      </div>
    </form>
  );
}

/** The query of an address that chooses the same; weekly is what it means without a word. */
function queryOf(
  { followed, chosen, cadence }: SubscribePageProps,
  more: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams(followQuery(followed, chosen.kinds));
  if (cadence !== "weekly") query.set("cadence", cadence);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query.size > 0 ? `?${query}` : "";
}
