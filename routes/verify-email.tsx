import { describePreferences } from "../lib/delivery/subscriptions/preferences_in_words.ts";
import {
  type OwnSubscription,
  readNames,
  readSubscription,
} from "../lib/delivery/subscriptions/preferences_sql.ts";
import {
  mailDay,
  type OpenedVerification,
  openVerification,
} from "../lib/delivery/subscriptions/opened_link.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { readLinkToken, readPostedToken, refusePrefetch } from "../lib/http/clients/link_token.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import { answerLink, ConfirmForm, type LinkPage, openingOf } from "../lib/ui/link_page.tsx";
import { ReleaseLinks } from "../lib/ui/release_parts.tsx";
import type { ActionConfig, ActionHandler, ActionHandlers, Client, Context } from "./route.ts";
import { rich, say } from "../lib/text/messages.ts";

const PATH = "/verify-email";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "Verifies an address by the token of its link; responds with a page",
    POST: "Verifies an address by the token in a form; responds with a page",
  },
};

/** Interface specification, 4.8: follows a verification link; the result is a page. */
const GET: ActionHandler = {
  answer(request, client, context) {
    refusePrefetch(request);
    const token = readLinkToken(client.target);
    return verify(request, { ...openingOf(request, context), client, token, context });
  },
};

/** The button of the page, with LINK_ACTION `confirm`. */
const POST: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request, context.services.config);
    refusePrefetch(request);
    const token = await readPostedToken(request, client.target);
    return verify(request, { needsConfirmation: false, acts: true, client, token, context });
  },
};

export const handler: ActionHandlers = { GET, POST };

async function verify(
  request: Request,
  { needsConfirmation, acts, client: { address }, token, context }: {
    needsConfirmation: boolean;
    acts: boolean;
    client: Client;
    token: string | null;
    context: Context;
  },
): Promise<Response> {
  const { services, site } = context;
  const link = token === null ? null : await openVerification(token, { address, acts, services });
  const found = link?.own &&
    await readSubscription(services.database, link.own.subscriptionId, mailDay(services));
  const watched = found ? await readNames(services.database, found.releases) : [];
  return answerLink(request, {
    token,
    link,
    hasNewLink: true,
    page: (token, link) =>
      needsConfirmation && !link.isDone
        ? confirmPage(token, { watched, site })
        : verifiedPage(link, { found: found ?? null, watched }, context),
  }, context);
}

function verifiedPage(
  { own }: OpenedVerification,
  { found, watched }: {
    found: OwnSubscription | null;
    watched: readonly WatchedRelease[];
  },
  { services: { config }, site: { path } }: Context,
): LinkPage {
  return {
    status: 200,
    title: say("verify.subscribed"),
    children: (
      <>
        {found && (
          <p>
            <strong>{found.email}</strong>
          </p>
        )}
        <p>
          {found ? describePreferences(found, config.digestTimes) : say("verify.will_get")}
        </p>
        <Watched watched={watched} path={path} />
        {own
          ? (
            <p>
              {rich("verify.you_can", {
                change: (words) => (
                  <a href={`${path}/preferences?token=${own.preferencesToken}`}>{words}</a>
                ),
                end: (words) => (
                  <a href={`${path}/unsubscribe?token=${own.unsubscribeToken}`}>{words}</a>
                ),
              })}
            </p>
          )
          : <p>{say("verify.you_can_change_your")}</p>}
      </>
    ),
  };
}

function confirmPage(
  token: string,
  { watched, site: { path } }: { watched: readonly WatchedRelease[]; site: Site },
): LinkPage {
  return {
    status: 200,
    title: say("verify.verify"),
    children: (
      <>
        <p>{say("verify.confirm_your_address_to")}</p>
        <Watched watched={watched} path={path} />
        <ConfirmForm action={path + PATH} token={token} button={say("verify.verify_my_address")} />
      </>
    ),
  };
}

interface WatchedRelease {
  release_item_id: string;
  feature_name: string;
  language: string | null;
}

/** The releases that are watched, each with a link back to its page. */
function Watched({ watched, path }: { watched: readonly WatchedRelease[]; path: string }) {
  if (watched.length === 0) return null;
  return (
    <>
      <p>{say("verify.youre_watching")}</p>
      <ReleaseLinks releases={watched} path={path} />
    </>
  );
}
