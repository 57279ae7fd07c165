import { z } from "zod";
import { VERIFICATION } from "../../lib/roadmap/collection.ts";
import { openVerification } from "../../lib/delivery/subscriptions/opened_link.ts";
import {
  PRIVATE_HEADERS,
  readLinkToken,
  refusePrefetch,
} from "../../lib/http/clients/link_token.ts";
import { problemAnswer } from "../../lib/http/openapi.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import type { ActionConfig, ActionHandlers } from "../route.ts";

const TOKEN_QUERY = z.object({ token: z.string().describe("From the link in the email") });

export const config: ActionConfig = {
  errors: "json",
  summary: "Verifies an address by the token of its link; responds with JSON",
};

/** Interface specification, 4.7: follows a verification link; the result is JSON. */
export const handler: ActionHandlers = {
  GET: {
    describe: () => ({
      tag: "Subscriptions",
      details: "The token is in the verification email. The response has the link to unsubscribe.",
      query: TOKEN_QUERY,
      answers: {
        200: { description: "The address is verified", schema: VERIFICATION },
        404: problemAnswer("The token is unknown or has expired"),
        429: problemAnswer("Too many wrong tokens from this client"),
      },
    }),
    async answer(request, { address, target }, { services, site }) {
      refusePrefetch(request);
      const token = readLinkToken(target);
      if (token === null) throw refuseToken(400, "is missing");
      const acts = request.method !== "HEAD";
      const link = await openVerification(token, { address, acts, services });
      if (link === null) throw refuseToken(404, "is unknown or has expired");
      const answer = Response.json({
        status: "verified",
        message: "The address is verified",
        ...link.own && {
          unsubscribe_url: `${site.url}/unsubscribe?token=${link.own.unsubscribeToken}`,
        },
      }, { headers: PRIVATE_HEADERS });
      return acts ? answer : new Response(null, answer);
    },
  },
};

function refuseToken(status: 400 | 404, reason: string): Problem {
  return new Problem(status, `The token ${reason}`, {
    errors: [{ name: "token", reason }],
    headers: PRIVATE_HEADERS,
  });
}
