import { refuseCrossSite } from "../lib/http/clients/cross_site.ts";
import { requestNewLink } from "../lib/delivery/subscriptions/subscription_request.ts";
import { answerLinkRequest, NewLink } from "../lib/ui/link_page.tsx";
import type { ActionConfig, ActionHandlers } from "./route.ts";
import { say } from "../lib/text/messages.ts";

export const config: ActionConfig = {
  errors: "page",
  summary: "Requests a new verification link from a form; responds with a page",
};

export const handler: ActionHandlers = {
  POST: {
    async answer(request, { address }, context) {
      refuseCrossSite(request, context.services.config);
      return await answerLinkRequest(request, {
        address,
        ask: (given) => requestNewLink(given, context),
        title: say("link.get_new"),
        said: say("subscribe.sent"),
        form: NewLink,
        action: "/new-link",
      }, context);
    },
  },
};
