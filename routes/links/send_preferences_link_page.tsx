import { requestPreferencesLink } from "../../lib/delivery/subscriptions/link_request.ts";
import { readForm } from "../../lib/http/body.ts";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import { answerPage } from "../../lib/ui/link_page.tsx";
import type { ActionHandler } from "../route.ts";

/** The form for a lost link to the preferences. */
export const sendPreferencesLinkPage: ActionHandler = {
  async answer(request, { address }, context) {
    refuseCrossSite(request, context.services.config);
    const email = (await readForm(request)).get("email") ?? "";
    await requestPreferencesLink({ email }, { ...context, address });
    return answerPage(request, {
      status: 202,
      title: "Check your inbox",
      children: <p>If this address is subscribed, we sent it a link to its preferences.</p>,
    }, context);
  },
};
