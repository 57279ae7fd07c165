import { readForm } from "../lib/http/body.ts";
import { refuseCrossSite } from "../lib/http/cross_site.ts";
import { answerPage } from "./link_page.tsx";
import type { ActionRoute } from "./route.ts";
import { requestNewLink } from "./subscribing.ts";

/** The form on the page of a link that has ended. */
export const newLinkPage: ActionRoute = {
  method: "POST",
  path: "/new-link",
  summary: "Asks for a new verification link, by a form with an address; the result is a page",
  cache: "never",
  async answer(request, client, context) {
    refuseCrossSite(request);
    const email = (await readForm(request)).get("email") ?? "";
    await requestNewLink({ email }, { request, client }, context);
    return answerPage(request, {
      status: 202,
      title: "Look into your mail",
      children: (
        <p>
          If this address is not subscribed yet, a mail with a new link is on its way to it. Older
          links have ended.
        </p>
      ),
    }, context);
  },
};
