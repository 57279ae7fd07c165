import { z } from "zod";
import { refuseCrossSite } from "../../lib/http/clients/cross_site.ts";
import { PRIVATE_HEADERS } from "../../lib/http/clients/link_token.ts";
import { problemAnswer } from "../../lib/http/openapi.ts";
import { Problem } from "../../lib/http/responses/problem.ts";
import { ADMIN_ANSWERS, authorizeAdmin, RETRY_AFTER } from "../(_components)/authorize_admin.ts";
import type { ActionConfig, ActionHandlers } from "../route.ts";

/** When a scheduler may try again. */
const RETRY_SECONDS = 60;

const COUNTS = z.record(z.string(), z.record(z.string(), z.int().min(0)))
  .meta({ id: "WorkCounts" });

export const config: ActionConfig = {
  errors: "json",
  summary: "Runs due work (imports, digests, emails, bounces, pruning), for a scheduler",
};

/** Does what is due, for a scheduler with the token: for hosts that stop idle processes. */
export const handler: ActionHandlers = {
  POST: {
    isOn: ({ ADMIN_TOKEN: adminToken }) => adminToken !== null,
    describe: () => ({
      tag: "Administration",
      details:
        "For hosts that stop idle processes: have a scheduler call it every few minutes. While " +
        "one call runs, others get 409.",
      needsToken: true,
      answers: {
        200: {
          description:
            "What each job did: imports, digests, emails, webhooks, bounces, embeddings, pruning",
          schema: COUNTS,
        },
        ...ADMIN_ANSWERS,
        409: problemAnswer("The work is already running", RETRY_AFTER),
        503: problemAnswer("Some jobs failed; the others ran", RETRY_AFTER),
      },
    }),
    async answer(request, { address }, { services }) {
      refuseCrossSite(request, services.config);
      await authorizeAdmin(request, address, services);
      const headers = { "Retry-After": String(RETRY_SECONDS) };
      const done = await services.jobs.runDue();
      if (done === null) throw new Problem(409, "The work is already running", { headers });
      const { counts, failed } = done;
      if (failed.length > 0) {
        throw new Problem(503, `Some jobs failed: ${failed.join(", ")}`, {
          headers,
          errors: failed.map((name) => ({ name, reason: "failed; see the server log" })),
        });
      }
      return Response.json(counts, { headers: PRIVATE_HEADERS });
    },
  },
};
