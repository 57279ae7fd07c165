import { strong } from "../components/name.tsx";
import {
  mailDay,
  type OpenedLink,
  openUnsubscribing,
  unsubscribeAtOnce,
} from "../lib/delivery/subscriptions/opened_link.ts";
import { readSubscription } from "../lib/delivery/subscriptions/preferences_sql.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { requestNewLink } from "../lib/delivery/subscriptions/subscription_request.ts";
import { readForm } from "../lib/http/requests/body.ts";
import { readLinkToken, readTokenField, refusePrefetch } from "../lib/http/clients/link_token.ts";
import type { Site } from "../lib/roadmap/sites.ts";
import { answerLink, ConfirmForm, type LinkPage, openingOf } from "../lib/ui/link_page.tsx";
import { SubscribeAgain, subscribedAgainPage } from "./(_components)/preferences_page.tsx";
import type { ActionConfig, ActionHandler, ActionHandlers, Client, Context } from "./route.ts";
import { rich, say } from "../lib/text/messages.ts";

const PATH = "/unsubscribe";

export const config: ActionConfig = {
  errors: "page",
  summary: {
    GET: "Unsubscribes by the token of a link; responds with a page",
    POST: "Unsubscribes immediately by a token (RFC 8058); responds with a page",
  },
};

/** Interface specification, 4.9: follows an unsubscribe link. */
const GET: ActionHandler = {
  async answer(request, { address, target }, context) {
    const { services, site } = context;
    refusePrefetch(request);
    const token = readLinkToken(target);
    const { needsConfirmation, acts } = openingOf(request, context);
    const link = token === null
      ? null
      : await openUnsubscribing(token, { address, acts, services });
    const email = maskAddress(await findAddress(link, context));
    return answerLink(request, {
      token,
      link,
      page: (token, link) =>
        needsConfirmation && !link.isDone
          ? confirmPage(token, { email, site })
          : donePage(token, { email, site }),
    }, context);
  },
};

/** RFC 8058, section 3.2: unsubscribes at once, for a mail service or by the button of the page. */
const POST: ActionHandler = {
  async answer(request, client, context) {
    const { target } = client;
    refusePrefetch(request);
    // A mail service sends the token in the address, also from a page in a browser; our own buttons
    // send it in a field.
    let token = readLinkToken(target);
    if (token === null) {
      refuseCrossSite(request, context.services.config);
      const form = await readForm(request);
      token = readTokenField(form);
      if (form.get("action") === "subscribe-again") {
        return await subscribeAgain(request, { token, client, context });
      }
    }
    const link = token === null ? null : await unsubscribeAtOnce(token, context.services);
    const email = maskAddress(await findAddress(link, context));
    return answerLink(request, {
      token,
      link,
      page: (token) => donePage(token, { email, site: context.site }),
    }, context);
  },
};

export const handler: ActionHandlers = { GET, POST };

/** Sends an email whose link subscribes again. */
async function subscribeAgain(
  request: Request,
  { token, client: { address }, context }: {
    token: string | null;
    client: Client;
    context: Context;
  },
): Promise<Response> {
  const opening = { address, acts: false, services: context.services };
  const link = token === null ? null : await openUnsubscribing(token, opening);
  const email = await findAddress(link, context);
  if (email !== null) {
    const { limits } = context.services;
    await limits.takeSubscribing(address, () => requestNewLink({ email }, context));
  }
  const page = (): LinkPage => subscribedAgainPage(maskAddress(email));
  return answerLink(request, { token, link, page }, context);
}

/** The address that a link is about; null where there is none any more. */
async function findAddress(link: OpenedLink | null, { services }: Context) {
  const found = link &&
    await readSubscription(services.database, link.subscriptionId, mailDay(services));
  return found?.email ?? null;
}

/** An address that its owner recognises, and nobody else can write to: `v…m@example.com`. */
function maskAddress(email: string | null): string {
  if (email === null) return say("unsubscribe.this_address");
  const [local, domain] = email.split("@") as [string, string];
  return `${local[0]}…${local.length > 2 ? local.at(-1) : ""}@${domain}`;
}

/** What the pages say. */
interface Words {
  email: string;
  site: Site;
}

function donePage(token: string, { email, site: { path } }: Words): LinkPage {
  return {
    status: 200,
    title: say("unsubscribe.done"),
    children: (
      <>
        <p>
          {rich("unsubscribe.no_more", { email, b: strong })}
        </p>
        <p>{say("unsubscribe.changed_your_mind_or")}</p>
        <SubscribeAgain action={path + PATH} token={token} />
      </>
    ),
  };
}

function confirmPage(token: string, { email, site: { path } }: Words): LinkPage {
  return {
    status: 200,
    title: say("unsubscribe.unsubscribe"),
    children: (
      <>
        <p>
          {rich("unsubscribe.stop", { email, b: strong })}
        </p>
        <ConfirmForm action={path + PATH} token={token} button={say("unsubscribe.unsubscribe")} />
      </>
    ),
  };
}
