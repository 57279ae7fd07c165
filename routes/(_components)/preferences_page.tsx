import { strong } from "../../components/name.tsx";
import { mailDay } from "../../lib/delivery/subscriptions/opened_link.ts";
import { readPreferenceLists } from "../../lib/delivery/subscriptions/offered_lists.ts";
import {
  describePreferences,
  listCadences,
} from "../../lib/delivery/subscriptions/preferences_in_words.ts";
import {
  type OwnSubscription,
  readNames,
} from "../../lib/delivery/subscriptions/preferences_sql.ts";
import {
  coversNothing,
  type Preferences,
} from "../../lib/delivery/subscriptions/subscriptions_sql.ts";
import { readList } from "../../lib/roadmap/filter/filter_values.ts";
import { listsOf, type PreferenceName } from "../../lib/roadmap/filter/preference_lists.ts";
import { makeLinkToken } from "../../lib/delivery/tokens.ts";
import { Scripts } from "../../lib/ui/render_page.tsx";
import { ConfirmForm, type LinkPage } from "../../lib/ui/link_page.tsx";
import { formatDay } from "../../lib/text/dates.ts";
import { PreferencesForm, UndoForm } from "../../lib/ui/preferences_form.tsx";
import type { Context } from "../route.ts";
import { UUID } from "../../lib/text/values.ts";
import { describedBy, Mistake, type Mistakes } from "../../lib/ui/form_mistakes.tsx";
import { readCadence, readPreferred } from "./preferred_lists.ts";
import type { Cadence } from "../../lib/text/cadence.ts";
import { rich, say } from "../../lib/text/messages.ts";

/** The page of a subscription, with what was asked for filled in where that is wanted. */
export async function buildPreferencesPage(
  found: OwnSubscription,
  {
    context,
    wantsAsked = false,
    wantsCadence = found.cadence,
    isSaved = false,
    before,
    unwatched = [],
    sent,
  }: {
    context: Context;
    wantsAsked?: boolean;
    /** That of the link "Get it daily" of an email. */
    wantsCadence?: Cadence;
    isSaved?: boolean;
    /** What was stored before, to go back to. */
    before?: OwnSubscription;
    /** Releases that were just taken off, to be ticked again. */
    unwatched?: readonly string[];
    /** A form that could not be used. */
    sent?: SentForm;
  },
): Promise<LinkPage> {
  const { services: { config, database, tokenSecret }, site: { path } } = context;
  const showsAsked = wantsAsked && found.asked !== null;
  const stored = showsAsked ? withAsked(found) : { ...found, cadence: wantsCadence };
  const chosen: ShownPreferences = sent?.saves
    ? readSent(sent.form, stored)
    : { ...stored, lists: listsOf(stored.filter) };
  const [lists, named] = await Promise.all([
    readPreferenceLists(context.services, chosen.lists),
    readNames(database, [...chosen.releases, ...unwatched]),
  ]);
  const watched = named.map((release) => (
    { ...release, isWatched: chosen.releases.includes(release.release_item_id) }
  ));
  const token = makeLinkToken("preferences", found.subscription_id, tokenSecret);
  const own = { path, action: `${path}/preferences`, token };
  return {
    status: sent ? 400 : 200,
    title: say("own.preferences"),
    isWide: true,
    children: (
      <>
        {isSaved && <SavedNotice found={found} />}
        {before && <UndoForm {...own} stored={before} />}
        <p>
          {describeState(found)}
        </p>
        {isReceiving(found) && <Coverage found={found} context={context} />}
        {isReceiving(found) && (showsAsked || wantsCadence !== found.cadence) && (
          <p class="notice">{rich("own.asked", { b: strong })}</p>
        )}
        {isReceiving(found)
          ? (
            <PreferencesForm
              {...own}
              scope={chosen.scope}
              lists={lists}
              chosen={chosen.lists}
              stored={listsOf(found.filter)}
              mistakes={sent?.saves ? sent.mistakes : undefined}
              upcoming={chosen.upcoming}
              reminders={chosen.reminders}
              cadences={listCadences(config.digestTimes, context.services.clock())}
              cadence={chosen.cadence}
              watched={watched}
              pausedUntil={chosen.pausedUntil ?? found.paused_until}
              today={mailDay(context.services)}
            />
          )
          : <SubscribeAgain {...own} />}
        <MoreActions
          {...own}
          found={found}
          mistakes={sent?.saves === false ? sent.mistakes : undefined}
          context={context}
        />
        <Scripts files={context.services.assets.scriptsOf("preferences")} context={context} />
      </>
    ),
  };
}

/** What the emails cover, and where to subscribe again if that is nothing. */
function Coverage({ found, context }: { found: OwnSubscription; context: Context }) {
  const { services: { config }, site: { path } } = context;
  return (
    <p class={coversNothing(found) ? "notice" : undefined}>
      {describePreferences(found, config.digestTimes)}
      {coversNothing(found) &&
        rich("own.way_back", { roadmap: (words) => <a href={`${path}/`}>{words}</a> })}
    </p>
  );
}

function SavedNotice({ found }: { found: OwnSubscription }) {
  return (
    <p class="notice success" role="status">
      <strong>{say("own.saved")}</strong> {describeNext(found)}
    </p>
  );
}

/** A form of the page that could not be used. */
interface SentForm {
  form: URLSearchParams;
  mistakes: Mistakes;
  /** It is the one that saves, not the one that deletes. */
  saves: boolean;
}

/** Preferences as the form shows them. */
interface ShownPreferences extends Omit<Preferences, "filter"> {
  lists: Readonly<Record<PreferenceName, readonly string[]>>;
  pausedUntil?: string;
}

/** What was sent, to be corrected. */
function readSent(form: URLSearchParams, stored: Preferences): ShownPreferences {
  const scope = form.get("scope");
  return {
    scope: scope === "watched" || scope === null && stored.scope === "watched"
      ? "watched"
      : "chosen",
    lists: readPreferred(form),
    releases: readList(form, ["releases"]).filter((id) => UUID.test(id)),
    cadence: readCadence(form),
    upcoming: form.getAll("upcoming").at(-1) === "yes",
    reminders: form.getAll("reminders").at(-1) === "yes",
    pausedUntil: form.get("paused_until") ?? undefined,
  };
}

/** The ways out: from the mails, with a copy of the data, and altogether. */
function MoreActions({ found, mistakes, context, ...own }: {
  action: string;
  token: string;
  found: OwnSubscription;
  mistakes?: Mistakes;
  context: Context;
}) {
  const { services: { tokenSecret }, site: { path } } = context;
  return (
    <section class="more">
      <h2>{say("filter.more")}</h2>
      {isReceiving(found) && (
        <ConfirmForm
          action={`${path}/unsubscribe`}
          token={makeLinkToken("unsubscribe", found.subscription_id, tokenSecret)}
          button={say("unsubscribe.unsubscribe")}
        />
      )}
      <details open={mistakes !== undefined}>
        <summary>{say("own.export_or_delete_my")}</summary>
        <ConfirmForm {...own} does="export" button={say("own.export_my_data")} />
        <ConfirmForm {...own} does="delete" button={say("own.delete_my_data")}>
          <p>
            <label class="check">
              <input
                type="checkbox"
                name="sure"
                value="yes"
                required
                {...describedBy("sure", mistakes)}
              />
              {say("own.delete_all", { email: found.email })}
            </label>
          </p>
          <Mistake of="sure" mistakes={mistakes} />
        </ConfirmForm>
      </details>
    </section>
  );
}

/** The way back after unsubscribing: an email whose link subscribes again. */
export function SubscribeAgain(own: { action: string; token: string }) {
  return <ConfirmForm {...own} does="subscribe-again" button={say("own.subscribe_again")} />;
}

/** What follows a request to subscribe again. */
export function subscribedAgainPage(email: string): LinkPage {
  return {
    status: 202,
    title: say("link.check_inbox"),
    children: (
      <p>
        {say("own.sent_link", { email })}
      </p>
    ),
  };
}

/**
 * What was asked for, beside what is stored: releases to watch come on top of the others, and who
 * asks for these alone keeps the lists.
 */
function withAsked({ asked, ...stored }: OwnSubscription): Preferences {
  const { releases, cadence, upcoming, reminders, ...covered } = asked!;
  return {
    ...stored,
    ...covered.scope !== "watched" && covered,
    releases: [...new Set([...stored.releases, ...releases])],
    cadence: cadence ?? stored.cadence,
    upcoming: upcoming ?? stored.upcoming,
    reminders: reminders ?? stored.reminders,
  };
}

/** Whether a subscription gets emails, or will once its address is verified. */
export function isReceiving({ state }: OwnSubscription): boolean {
  return state === "verified" || state === "unverified";
}

function describeState({ email, state, paused_until }: OwnSubscription): string {
  switch (state) {
    case "verified":
      return paused_until === null
        ? say("own.is_subscribed", { email })
        : say("own.is_paused", { email, day: formatDay(paused_until) });
    case "unverified":
      return say("own.is_unverified", { email });
    case "unsubscribed":
      return say("own.is_unsubscribed", { email });
    case "bounced":
      return say("own.is_bounced", { email });
  }
}

function describeNext({ state, scope, releases, paused_until }: OwnSubscription): string | null {
  if (state === "unverified") return say("own.open_link");
  if (coversNothing({ scope, releases })) return null;
  return paused_until === null ? say("own.next_email") : say("own.held");
}
