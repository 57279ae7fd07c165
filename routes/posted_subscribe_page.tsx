import { readForm } from "../lib/http/body.ts";
import { refuseCrossSite } from "../lib/http/cross_site.ts";
import { tellUnknown } from "../islands/subscribe_form.tsx";
import { readLists } from "../lib/delivery/posted_preferences.ts";
import { requestSubscription } from "../lib/delivery/subscription_request.ts";
import { answerPage } from "../lib/ui/link_page.tsx";
import type { ActionHandler } from "./route.ts";

/** The form of the subscribe page, sent without a script. */
export const postedSubscribePage: ActionHandler = {
  async answer(request, { address }, context) {
    refuseCrossSite(request);
    const form = await readForm(request);
    const { message, unknown = {} } = await requestSubscription(
      { email: form.get("email") ?? "", ...readLists(form) },
      { ...context, address },
    );
    const unlisted = Object.values(unknown).flat();
    return answerPage(request, {
      status: 202,
      title: "Look into your mail",
      children: (
        <>
          <p>{message}</p>
          {unlisted.length > 0 && <p>{tellUnknown(unlisted)}</p>}
        </>
      ),
    }, context);
  },
};
