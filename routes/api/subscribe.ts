import {
  requestSubscription,
  SUBSCRIPTION,
} from "../../lib/delivery/subscriptions/subscription_request.ts";
import { PRIVATE_HEADERS } from "../../lib/http/clients/link_token.ts";
import { problemAnswer, SUBMISSION_ANSWERS } from "../../lib/http/openapi.ts";
import { ACCEPTANCE } from "../../lib/roadmap/collection.ts";
import { readJson } from "../../lib/http/requests/body.ts";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import type { ActionConfig, ActionHandlers } from "../route.ts";

export const config: ActionConfig = {
  errors: "json",
  summary: "Requests a subscription; a new or unverified address gets a verification link",
};

/** Interface specification, 4.6: asks for a subscription. */
export const handler: ActionHandlers = {
  POST: {
    describe: () => ({
      tag: "Subscriptions",
      details:
        "The response does not reveal whether the address is already subscribed. Without lists, " +
        "the subscription covers all releases; with `releases` only, these. A new address gets nothing but the verification " +
        "link until it is opened.",
      body: {
        schema: SUBSCRIPTION,
        example: {
          email: "ann@example.com",
          cadence: "daily",
          products: [],
          types: [],
          statuses: ["Shipped"],
        },
      },
      answers: {
        202: {
          description: "The same for every valid address",
          schema: ACCEPTANCE,
        },
        ...SUBMISSION_ANSWERS,
        415: problemAnswer("The body is not JSON"),
      },
    }),
    async answer(request, { address }, context) {
      refuseCrossSite(request, context.services.config);
      const accepted = await context.services.limits.takeSubscribing(
        address,
        async () => requestSubscription(await readJson(request), context),
      );
      return Response.json(accepted, { status: 202, headers: PRIVATE_HEADERS });
    },
  },
};
