import { readForm } from "../lib/http/body.ts";
import { refuseCrossSite } from "../lib/http/cross_site.ts";
import { ACCEPTED } from "./api_subscribe.ts";
import { answerPage } from "./link_page.tsx";
import type { ActionHandler } from "./route.ts";
import { requestSubscription } from "./subscribing.ts";

/** The form of the subscribe page, sent without a script. */
export const postedSubscribePage: ActionHandler = {
  async answer(request, client, context) {
    refuseCrossSite(request);
    const form = await readForm(request);
    await requestSubscription(
      {
        email: form.get("email") ?? "",
        products: form.getAll("products"),
        types: form.getAll("types"),
        statuses: form.getAll("statuses"),
      },
      { request, client },
      context,
    );
    return answerPage(request, {
      status: 202,
      title: "Look into your mail",
      children: <p>{ACCEPTED.message}</p>,
    }, context);
  },
};
