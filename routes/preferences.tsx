import { openPreferences } from "../lib/delivery/subscriptions/opened_link.ts";
import { readPreferenceLists } from "../lib/delivery/subscriptions/preference_lists.ts";
import {
  describePreferences,
  listCadences,
} from "../lib/delivery/subscriptions/preferences_in_words.ts";
import {
  type OwnSubscription,
  readNames,
  readStoredData,
  readSubscription,
} from "../lib/delivery/subscriptions/preferences_sql.ts";
import {
  coversNothing,
  type Preferences,
} from "../lib/delivery/subscriptions/subscriptions_sql.ts";
import { choosesReleases, listsOf, type Scope } from "../lib/roadmap/filter/preference_lists.ts";
import { makeLinkToken } from "../lib/delivery/tokens.ts";
import { PRIVATE_HEADERS, readLinkToken, readTokenField } from "../lib/http/clients/link_token.ts";
import { Scripts } from "../lib/ui/render_page.tsx";
import { answerLink, answerPage, ConfirmForm, type LinkPage } from "../lib/ui/link_page.tsx";
import { formatDay } from "../lib/text/dates.ts";
import { ActionForm, PreferencesForm, UndoForm } from "../lib/ui/preferences_form.tsx";
import {
  type ActionConfig,
  type ActionHandler,
  type ActionHandlers,
  type Client,
  type Context,
  today,
} from "./route.ts";
import { saveForm } from "../lib/delivery/subscriptions/posted_preferences.ts";
import { deleteSubscriber } from "../lib/delivery/subscriptions/subscribers_sql.ts";
import { requestNewLink } from "../lib/delivery/subscriptions/subscription_request.ts";
import { readForm } from "../lib/http/requests/body.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { Problem } from "../lib/http/responses/problem.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "The preferences of a subscription, by the token of a link in an email",
    POST:
      "Saves preferences, or exports or deletes all data, by the token in a form; responds with a page or JSON",
  },
};

/** The preferences of a subscription, opened by the link of any mail; showing them changes nothing. */
const GET: ActionHandler = {
  async answer(request, { address, target }, context) {
    const token = readLinkToken(target);
    const found = token === null ? null : await openPreferences(token, { address, ...context });
    const query = new URLSearchParams(target.query);
    const wantsAsked = query.has("asked") || query.has("amp;asked");
    const page = found && await buildPreferencesPage(found, { context, wantsAsked });
    return answerLink(
      request,
      { token, link: page, hasNewLink: false, page: (_, page) => page },
      context,
    );
  },
};

/** The page of a subscription, with what was asked for filled in where that is wanted. */
async function buildPreferencesPage(
  found: OwnSubscription,
  {
    context,
    wantsAsked = false,
    isSaved = false,
    before,
    unwatched = [],
    problems = [],
    notes = [],
  }: {
    context: Context;
    wantsAsked?: boolean;
    isSaved?: boolean;
    /** What was stored before, to go back to. */
    before?: OwnSubscription;
    /** Releases that were just taken off, to be ticked again. */
    unwatched?: readonly string[];
    /** Why the form was not saved. */
    problems?: readonly string[];
    /** What of the form does not count. */
    notes?: readonly string[];
  },
): Promise<LinkPage> {
  const { services: { config, database, listedOptions, tokenSecret }, site: { path } } = context;
  const showsAsked = wantsAsked && found.asked !== null;
  const chosen = showsAsked ? withAsked(found) : found;
  const [lists, named] = await Promise.all([
    readPreferenceLists(listedOptions, listsOf(chosen.filter)),
    readNames(database, [...chosen.releases, ...unwatched]),
  ]);
  const watched = named.map((release) => (
    { ...release, isWatched: chosen.releases.includes(release.release_item_id) }
  ));
  const token = makeLinkToken("preferences", found.subscription_id, tokenSecret);
  const own = { path, action: `${path}/preferences`, token };
  return {
    status: problems.length > 0 ? 400 : 200,
    title: "Your preferences",
    isWide: true,
    children: (
      <>
        <Notices found={found} isSaved={isSaved} problems={problems} notes={notes} />
        {before && <UndoForm {...own} stored={before} scope={shownScope(before)} />}
        <p>
          {found.email} {describeState(found)}.
        </p>
        {isReceiving(found) && <Coverage found={found} context={context} />}
        {showsAsked && <AskedNotice />}
        {isReceiving(found)
          ? (
            <PreferencesForm
              {...own}
              scope={shownScope(chosen)}
              lists={lists}
              chosen={listsOf(chosen.filter)}
              upcoming={chosen.upcoming}
              reminders={chosen.reminders}
              cadences={listCadences(config.digestTimes, context.services.clock())}
              cadence={chosen.cadence}
              watched={watched}
              pausedUntil={found.paused_until}
              today={today(context.services)}
            />
          )
          : <SubscribeAgain {...own} />}
        <MoreActions {...own} found={found} context={context} />
        <Scripts files={context.services.assets.scriptsOf("preferences")} frame={context} />
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
      {coversNothing(found) && <WayBack path={path} />}
    </p>
  );
}

/** What became of a form that was sent. */
function Notices({ found, isSaved, problems, notes }: {
  found: OwnSubscription;
  isSaved: boolean;
  problems: readonly string[];
  notes: readonly string[];
}) {
  return (
    <>
      {isSaved && (
        <p class="notice success" role="status">
          <strong>Saved.</strong> {[describeNext(found), ...notes].filter(Boolean).join(" ")}
        </p>
      )}
      {problems.length > 0 && (
        <div class="notice problem" role="alert">
          <p>
            <strong>Not saved.</strong> {problems.join(" ")}
          </p>
        </div>
      )}
    </>
  );
}

function AskedNotice() {
  return (
    <p class="notice">
      <strong>These are the requested changes.</strong>{" "}
      Nothing changes until you save. If you didn't request them, close this page.
    </p>
  );
}

/** How a subscriber who watches nothing gets emails again. */
function WayBack({ path }: { path: string }) {
  return (
    <>
      {" To get emails again, choose releases below or watch one on "}
      <a href={`${path}/`}>the roadmap</a>.
    </>
  );
}

/** The ways out: from the mails, with a copy of the data, and altogether. */
function MoreActions({ found, context: { services: { tokenSecret }, site: { path } }, ...own }: {
  action: string;
  token: string;
  found: OwnSubscription;
  context: Context;
}) {
  return (
    <section class="more">
      <h2>More</h2>
      {isReceiving(found) && (
        <ConfirmForm
          action={`${path}/unsubscribe`}
          token={makeLinkToken("unsubscribe", found.subscription_id, tokenSecret)}
          button="Unsubscribe"
        />
      )}
      <details>
        <summary>Export or delete my data</summary>
        <ActionForm {...own} does="export">
          <p>
            <button type="submit">Export my data</button>
          </p>
        </ActionForm>
        <ActionForm {...own} does="delete">
          <p>
            <label class="check">
              <input type="checkbox" name="sure" value="yes" required />
              Yes, delete all data about {found.email}
            </label>
            <button type="submit">Delete my data</button>
          </p>
        </ActionForm>
      </details>
    </section>
  );
}

/** The way back after unsubscribing: an email whose link subscribes anew. */
export function SubscribeAgain({ action, token }: { action: string; token: string }) {
  return (
    <ActionForm action={action} token={token} does="subscribe-again">
      <p>
        <button type="submit">Subscribe again</button>
      </p>
    </ActionForm>
  );
}

/** What follows a request to subscribe again. */
export function subscribedAgainPage(email: string): LinkPage {
  return {
    status: 202,
    title: "Check your inbox",
    children: (
      <p>
        We sent a link to {email}. Open it to subscribe again. We send at most one such link a day.
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

/** Where only kinds of changes are chosen, they are those of all releases. */
function shownScope(chosen: Preferences): Scope {
  return chosen.scope === "chosen" && !choosesReleases(chosen.filter) ? "all" : chosen.scope;
}

function isReceiving({ state }: OwnSubscription): boolean {
  return state === "verified" || state === "unverified";
}

function describeState({ state, paused_until }: OwnSubscription): string {
  switch (state) {
    case "verified":
      return paused_until === null ? "is subscribed" : `is paused until ${formatDay(paused_until)}`;
    case "unverified":
      return "is not confirmed yet";
    case "unsubscribed":
      return "is unsubscribed";
    case "bounced":
      return "gets no emails because its mail server rejected several in a row";
  }
}

function describeNext({ state, scope, releases, paused_until }: OwnSubscription): string | null {
  if (state === "unverified") return "Open the link in the verification email to start.";
  if (coversNothing({ scope, releases })) return null;
  return paused_until === null
    ? "Your changes apply from the next email."
    : "No emails until the pause ends.";
}

/** The buttons of the page of preferences. */
const POST: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request, context.services.config);
    const form = await readForm(request);
    const token = readTokenField(form);
    const found = token === null ? null : await openPreferences(token, { ...client, ...context });
    if (found === null) {
      const nowhere = { token, link: null, hasNewLink: false, page: () => GONE };
      return answerLink(request, nowhere, context);
    }
    const action = form.get("action") ?? "save";
    switch (action) {
      case "save":
        return answerPage(request, await save(found, form, context), context);
      case "export":
        return await exportData(found, context);
      case "delete":
        return answerPage(request, await deleteAll(found, form, context), context);
      case "subscribe-again":
        return answerPage(request, await subscribeAgain(found, client, context), context);
      default: {
        const reason = "must be save, export, delete or subscribe-again";
        throw new Problem(400, `action ${reason}`, { errors: [{ name: "action", reason }] });
      }
    }
  },
};

export const handler: ActionHandlers = { GET, POST };

const GONE: LinkPage = {
  status: 200,
  title: "Your data has been deleted",
  children: (
    <p>We deleted your address and everything stored with it. You won't get any more emails.</p>
  ),
};

async function save(
  stored: OwnSubscription,
  form: URLSearchParams,
  context: Context,
): Promise<LinkPage> {
  const isOpen = stored.state === "verified" || stored.state === "unverified";
  const { problems, notes } = isOpen
    ? await saveForm(form, { stored, ...context })
    : { problems: [], notes: [] };
  const saved = await readSubscription(context.services.database, stored.subscription_id);
  if (saved === null) return GONE;
  const isSaved = isOpen && problems.length === 0;
  const unwatched = stored.releases.filter((release) => !saved.releases.includes(release));
  const before = isSaved ? stored : undefined;
  const said = { isSaved, before, unwatched, problems, notes };
  return await buildPreferencesPage(saved, { context, ...said });
}

async function exportData(
  { subscription_id: id }: OwnSubscription,
  { services: { database } }: Context,
): Promise<Response> {
  const data = await readStoredData(database, id);
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": 'attachment; filename="subscription.json"',
      ...PRIVATE_HEADERS,
    },
  });
}

async function deleteAll(
  { email }: OwnSubscription,
  form: URLSearchParams,
  { services: { database } }: Context,
): Promise<LinkPage> {
  if (form.get("sure") !== "yes") {
    const reason = "must be ticked: deleted data cannot be restored";
    throw new Problem(400, `The box ${reason}`, { errors: [{ name: "sure", reason }] });
  }
  await deleteSubscriber(database, email);
  return GONE;
}

async function subscribeAgain(
  { email }: OwnSubscription,
  { address }: Client,
  context: Context,
): Promise<LinkPage> {
  const { limits } = context.services;
  await limits.takeSubscribing(address, () => requestNewLink({ email }, context));
  return subscribedAgainPage(email);
}
