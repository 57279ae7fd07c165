import { readForm } from "../lib/http/body.ts";
import { refuseCrossSite } from "../lib/http/cross_site.ts";
import { answerPage } from "./link_page.tsx";
import type { ActionHandler } from "./route.ts";
import { requestNewLink } from "./subscribing.ts";

/** The form on the page of a link that has ended. */
export const newLinkPage: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request);
    const email = (await readForm(request)).get("email") ?? "";
    await requestNewLink({ email }, { request, client }, context);
    return answerPage(request, {
      status: 202,
      title: "Look into your mail",
      children: (
        <p>
          If this address is not subscribed yet, a mail with a new link is on its way to it. Use the
          link of the newest mail.
        </p>
      ),
    }, context);
  },
};
