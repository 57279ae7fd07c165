import {
  type OpenedLink,
  openUnsubscribing,
  unsubscribeAtOnce,
} from "../../lib/delivery/subscriptions/opened_link.ts";
import { readSubscription } from "../../lib/delivery/subscriptions/preferences_sql.ts";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import { readLinkToken, readPostedToken, refusePrefetch } from "../../lib/http/link_token.ts";
import type { Site } from "../../lib/roadmap/sites.ts";
import { answerLink, ConfirmForm, type LinkPage, openingOf } from "../../lib/ui/link_page.tsx";
import { SubscribeAgain } from "./preferences_page.tsx";
import type { ActionHandler, Context } from "../route.ts";

const PATH = "/unsubscribe";

/** Interface specification, 4.9: follows an unsubscribe link. */
export const unsubscribePage: ActionHandler = {
  async answer(request, { address, target }, context) {
    const { services, site } = context;
    refusePrefetch(request);
    const token = readLinkToken(target);
    const { needsConfirmation, acts } = openingOf(request, context);
    const link = token === null
      ? null
      : await openUnsubscribing(token, { address, acts, services });
    const email = await findEmail(link, context);
    return answerLink(request, {
      token,
      link,
      hasNewLink: false,
      page: (token, link) =>
        needsConfirmation && !link.isDone
          ? confirmPage(token, { email, site })
          : donePage(link, { email, site }),
    }, context);
  },
};

/** RFC 8058, section 3.2: unsubscribes at once, for a mail service or by the button of the page. */
export const postedUnsubscribePage: ActionHandler = {
  async answer(request, { target }, context) {
    // A mail service sends the token in the address, be it from a page in a browser; our
    // own button sends it in a field.
    if (readLinkToken(target) === null) refuseCrossSite(request, context.services.config);
    refusePrefetch(request);
    const token = await readPostedToken(request, target);
    const link = token === null ? null : await unsubscribeAtOnce(token, context.services);
    const email = await findEmail(link, context);
    return answerLink(request, {
      token,
      link,
      hasNewLink: false,
      page: (_, link) => donePage(link, { email, site: context.site }),
    }, context);
  },
};

/** The address that a link is about. */
async function findEmail(link: OpenedLink | null, { services }: Context): Promise<string> {
  const found = link && await readSubscription(services.database, link.subscriptionId);
  return found?.email ?? "This address";
}

/** What the pages say. */
interface Words {
  email: string;
  site: Site;
}

function donePage(
  { preferencesToken: token }: OpenedLink,
  { email, site: { path } }: Words,
): LinkPage {
  return {
    status: 200,
    title: "You are unsubscribed",
    children: (
      <>
        <p>
          <strong>{email}</strong> won't get any more emails about the roadmap.
        </p>
        <p>Changed your mind, or just too many emails? Subscribe again and choose fewer.</p>
        <SubscribeAgain action={`${path}/preferences`} token={token} />
      </>
    ),
  };
}

function confirmPage(token: string, { email, site: { path } }: Words): LinkPage {
  return {
    status: 200,
    title: "Unsubscribe",
    children: (
      <>
        <p>
          Stop emails about the roadmap to <strong>{email}</strong>?
        </p>
        <ConfirmForm action={path + PATH} token={token} button="Unsubscribe" />
      </>
    ),
  };
}
