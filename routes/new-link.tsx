import { readForm } from "../lib/http/requests/body.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { requestNewLink } from "../lib/delivery/subscriptions/subscription_request.ts";
import { answerPage } from "../lib/ui/link_page.tsx";
import type { ActionConfig, ActionHandlers } from "./route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Requests a new verification link from a form; responds with a page",
};

/** The form on the page of an expired link. */
export const handler: ActionHandlers = {
  POST: {
    async answer(request, { address }, context) {
      refuseCrossSite(request, context.services.config);
      await context.services.limits.takeSubscribing(address, async () => {
        const email = (await readForm(request)).get("email") ?? "";
        await requestNewLink({ email }, context);
      });
      return answerPage(request, {
        status: 202,
        title: "Check your inbox",
        children: (
          <p>
            If this address isn't subscribed yet, we sent it a new link. Use the link in the latest
            email.
          </p>
        ),
      }, context);
    },
  },
};
