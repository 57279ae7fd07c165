import {
  requestSubscription,
  SUBSCRIPTION,
} from "../../lib/delivery/subscriptions/subscription_request.ts";
import { PRIVATE_HEADERS } from "../../lib/http/link_token.ts";
import { PROBLEM_SCHEMA } from "../../lib/http/problem.ts";
import { ACCEPTANCE } from "../../lib/roadmap/answer_schemas.ts";
import { readJson } from "../../lib/http/body.ts";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import type { ActionHandler } from "../route.ts";

/** Interface specification, 4.6: asks for a subscription. */
export const subscribe: ActionHandler = {
  describe: () => ({
    tag: "Subscriptions",
    details:
      "The response does not tell whether the address is subscribed already. Without lists it " +
      "is for all releases. A new address is sent nothing but the link until that is followed.",
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
        description: "The same for every valid address; it depends on the request alone",
        schema: ACCEPTANCE,
      },
      403: { description: "A page of another site sent it", schema: PROBLEM_SCHEMA },
      408: { description: "The body did not come within 10 seconds", schema: PROBLEM_SCHEMA },
      413: { description: "The body is longer than 32 KB", schema: PROBLEM_SCHEMA },
      415: { description: "The body is not sent as JSON", schema: PROBLEM_SCHEMA },
      429: {
        description: "This client asked too often",
        schema: PROBLEM_SCHEMA,
        headers: { "Retry-After": "Seconds until it may ask again" },
      },
    },
  }),
  async answer(request, { address }, context) {
    refuseCrossSite(request, context.services.config);
    const accepted = await requestSubscription(await readJson(request), { ...context, address });
    return Response.json(accepted, { status: 202, headers: PRIVATE_HEADERS });
  },
};
