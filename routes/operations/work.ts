import { z } from "zod";
import { refuseCrossSite } from "../../lib/http/cross_site.ts";
import { PRIVATE_HEADERS } from "../../lib/http/link_token.ts";
import { Problem, PROBLEM_SCHEMA } from "../../lib/http/problem.ts";
import { authorizeAdmin } from "./authorize_admin.ts";
import type { ActionHandler } from "../route.ts";

/** When a scheduler may try again. */
const RETRY_SECONDS = 60;

const COUNTS = z.record(z.string(), z.record(z.string(), z.int().min(0)))
  .meta({ id: "WorkCounts" });
const RETRY_AFTER = { "Retry-After": "Seconds until it may try again" };

/** Does what is due, for a scheduler with the token: for hosts that stop idle processes. */
export const postedWork: ActionHandler = {
  isOn: ({ adminToken }) => adminToken !== null,
  describe: () => ({
    tag: "Administration",
    details:
      "For hosts that stop idle processes: a scheduler calls it every few minutes. While one " +
      "call works, others are answered 409.",
    needsToken: true,
    answers: {
      200: {
        description: "What each job did: imports, digests, mails, webhooks, embeddings, pruning",
        schema: COUNTS,
      },
      401: {
        description: "The token is missing or wrong",
        schema: PROBLEM_SCHEMA,
        headers: { "WWW-Authenticate": "Bearer" },
      },
      403: { description: "A page of another site sent it", schema: PROBLEM_SCHEMA },
      409: {
        description: "This process is at it already",
        schema: PROBLEM_SCHEMA,
        headers: RETRY_AFTER,
      },
      429: {
        description: "Too many wrong tokens came from this network",
        schema: PROBLEM_SCHEMA,
        headers: RETRY_AFTER,
      },
      503: {
        description: "Some of the jobs failed; the others did what was due",
        schema: PROBLEM_SCHEMA,
        headers: RETRY_AFTER,
      },
    },
  }),
  async answer(request, { address }, { services }) {
    refuseCrossSite(request, services.config);
    await authorizeAdmin(request, address, services);
    const headers = { "Retry-After": String(RETRY_SECONDS) };
    const done = await services.jobs.runDue();
    if (done === null) throw new Problem(409, "The work is being done already", { headers });
    const { counts, failed } = done;
    if (failed.length > 0) {
      throw new Problem(503, `Not all work could be done: ${failed.join(", ")} failed`, {
        headers,
        errors: failed.map((name) => ({ name, reason: "failed; the log of the server says why" })),
      });
    }
    return Response.json(counts, { headers: PRIVATE_HEADERS });
  },
};
