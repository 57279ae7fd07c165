import { requestPreferencesLink } from "../lib/delivery/subscriptions/subscription_request.ts";
import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { answerLinkRequest, LostLink } from "../lib/ui/link_page.tsx";
import type { ActionConfig, ActionHandlers } from "./route.ts";
import { say } from "../lib/text/messages.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Sends a subscribed address the link to its preferences; responds with a page",
};

export const handler: ActionHandlers = {
  POST: {
    async answer(request, { address }, context) {
      refuseCrossSite(request, context.services.config);
      return await answerLinkRequest(request, {
        address,
        ask: (given) => requestPreferencesLink(given, context),
        title: say("link.get_preferences"),
        said: say("link.sent"),
        form: LostLink,
        action: "/send-preferences-link",
      }, context);
    },
  },
};
