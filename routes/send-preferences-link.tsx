import { requestPreferencesLink } from "../lib/delivery/subscriptions/link_request.ts";
import { readForm } from "../lib/http/requests/body.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { answerPage } from "../lib/ui/link_page.tsx";
import type { ActionConfig, ActionHandlers } from "./route.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Sends a subscribed address the link to its preferences; responds with a page",
};

/** The form for a lost link to the preferences. */
export const handler: ActionHandlers = {
  POST: {
    async answer(request, { address }, context) {
      refuseCrossSite(request, context.services.config);
      await context.services.limits.takeSubscribing(address, async () => {
        const email = (await readForm(request)).get("email") ?? "";
        await requestPreferencesLink({ email }, context);
      });
      return answerPage(request, {
        status: 202,
        title: "Check your inbox",
        children: <p>If this address is subscribed, we sent it a link to its preferences.</p>,
      }, context);
    },
  },
};
