import { readForm } from "../lib/http/body.ts";
import { refuseCrossSite } from "../lib/http/cross_site.ts";
import { ACCEPTED, requestSubscription } from "../lib/delivery/subscription_request.ts";
import { answerPage } from "../lib/ui/link_page.tsx";
import type { ActionHandler } from "./route.ts";

/** The form of the subscribe page, sent without a script. */
export const postedSubscribePage: ActionHandler = {
  async answer(request, { address }, context) {
    refuseCrossSite(request);
    const form = await readForm(request);
    await requestSubscription(
      {
        email: form.get("email") ?? "",
        products: form.getAll("products"),
        types: form.getAll("types"),
        statuses: form.getAll("statuses"),
      },
      { ...context, address },
    );
    return answerPage(request, {
      status: 202,
      title: "Look into your mail",
      children: <p>{ACCEPTED.message}</p>,
    }, context);
  },
};
