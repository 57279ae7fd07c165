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
      403: { description: "Sent by a page of another site", schema: PROBLEM_SCHEMA },
      408: { description: "The body did not arrive within 10 seconds", schema: PROBLEM_SCHEMA },
      413: { description: "The body is longer than 32 KB", schema: PROBLEM_SCHEMA },
      415: { description: "The body is not JSON", schema: PROBLEM_SCHEMA },
      429: {
        description: "Too many requests from this client",
        schema: PROBLEM_SCHEMA,
        headers: { "Retry-After": "Seconds until the next request" },
      },
    },
  }),
  async answer(request, { address }, context) {
    refuseCrossSite(request, context.services.config);
    const accepted = await requestSubscription(await readJson(request), { ...context, address });
    return Response.json(accepted, { status: 202, headers: PRIVATE_HEADERS });
  },
};
