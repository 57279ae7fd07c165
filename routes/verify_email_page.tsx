import { refuseCrossSite } from "../lib/http/cross_site.ts";
import {
  answerLink,
  ConfirmForm,
  type LinkPage,
  openingOf,
  readPostedToken,
} from "./link_page.tsx";
import type { Site } from "../lib/roadmap/sites.ts";
import type { ActionHandler, Context } from "./route.ts";
import { type Asking, type OpenedLink, openVerification, readToken } from "./subscribing.ts";

const PATH = "/verify-email";

/** Interface specification, 4.8: follows a verification link; the result is a page. */
export const verifyEmailPage: ActionHandler = {
  answer(request, client, context) {
    const opening = openingOf(request, context);
    return verify({ request, client }, { ...opening, token: readToken(request, client), context });
  },
};

/** The button of the page, where LINK_ACTION is `confirm`. */
export const postedVerifyEmailPage: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request);
    const token = await readPostedToken(request, client);
    return verify({ request, client }, { asksFirst: false, acts: true, token, context });
  },
};

async function verify(
  asking: Asking,
  { asksFirst, acts, token, context }: {
    asksFirst: boolean;
    acts: boolean;
    token: string | null;
    context: Context;
  },
): Promise<Response> {
  const { services, site } = context;
  const link = token === null ? null : await openVerification(token, asking, { services, acts });
  return answerLink(asking.request, {
    token,
    link,
    hasNewLink: true,
    page: (token, link) =>
      asksFirst && !link.isDone ? askPage(token, site) : verifiedPage(link, site),
  }, context);
}

function verifiedPage({ unsubscribeToken }: OpenedLink, { path }: Site): LinkPage {
  return {
    status: 200,
    title: "Your address is verified",
    children: (
      <>
        <p>You will hear by mail what changes on the roadmap.</p>
        <p>
          You can <a href={`${path}/unsubscribe?token=${unsubscribeToken}`}>unsubscribe</a>{" "}
          at any time, with this link or the one in every mail.
        </p>
      </>
    ),
  };
}

function askPage(token: string, { path }: Site): LinkPage {
  return {
    status: 200,
    title: "Verify your address",
    children: (
      <>
        <p>One step is left to hear by mail what changes on the roadmap.</p>
        <ConfirmForm action={path + PATH} token={token} button="Verify my address" />
      </>
    ),
  };
}
