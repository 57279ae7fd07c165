import { z } from "zod";
import {
  ONLY_EMAIL,
  requestPreferencesLink,
} from "../../lib/delivery/subscriptions/subscription_request.ts";
import { readJsonOrForm } from "../../lib/http/requests/body.ts";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import { PRIVATE_HEADERS } from "../../lib/http/clients/link_token.ts";
import { problemAnswer, SUBMISSION_ANSWERS } from "../../lib/http/openapi.ts";
import type { ActionConfig, ActionHandlers } from "../route.ts";

const ACCEPTANCE = z.strictObject({ status: z.literal("accepted"), message: z.string() })
  .meta({ id: "LinkAcceptance" });

export const config: ActionConfig = {
  errors: "json",
  summary: "Sends a subscribed address the link to its preferences",
};

export const handler: ActionHandlers = {
  POST: {
    describe: () => ({
      tag: "Subscriptions",
      details:
        "For people who have no email left with the link to their preferences. The response " +
        "does not reveal whether the address is subscribed; only a subscribed address gets an email.",
      body: {
        schema: ONLY_EMAIL,
        example: { email: "ann@example.com" },
        otherTypes: ["application/x-www-form-urlencoded", "multipart/form-data"],
      },
      answers: {
        202: { description: "The same for every valid address", schema: ACCEPTANCE },
        ...SUBMISSION_ANSWERS,
        415: problemAnswer("The body is neither JSON nor a form"),
      },
    }),
    async answer(request, { address }, { services }) {
      refuseCrossSite(request, services.config);
      const accepted = await services.limits.takeSubscribing(
        address,
        async () => requestPreferencesLink(await readJsonOrForm(request), { services }),
      );
      return Response.json(accepted, { status: 202, headers: PRIVATE_HEADERS });
    },
  },
};
