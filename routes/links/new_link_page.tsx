import { readForm } from "../../lib/http/body.ts";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import { requestNewLink } from "../../lib/delivery/subscriptions/subscription_request.ts";
import { answerPage } from "../../lib/ui/link_page.tsx";
import type { ActionHandler } from "../route.ts";

/** The form on the page of an expired link. */
export const newLinkPage: ActionHandler = {
  async answer(request, { address }, context) {
    refuseCrossSite(request, context.services.config);
    const email = (await readForm(request)).get("email") ?? "";
    await requestNewLink({ email }, { ...context, address });
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
