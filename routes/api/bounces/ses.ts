import { getLogger } from "@logtape/logtape";
import { readConfirmation, readSes } from "../../../lib/delivery/bounces/providers.ts";
import { parseBody, readBody } from "../../../lib/http/requests/body.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { MAX_BYTES, providerRoute, requirePassword } from "../../(_components)/bounce_provider.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

const CONFIRMATION_MS = 10_000;

const log = getLogger(["roadcast", "mail"]);

export const config: ActionConfig = {
  errors: "json",
  summary: "Receives bounces and complaints from Amazon SES",
};

/** Bounces and complaints of Amazon SES, through SNS, which sends the secret as a password. */
export const handler: ActionHandlers = {
  POST: providerRoute("Amazon SES", async (request, address, services) => {
    await requirePassword(request, address, services);
    const body = parseBody(await readBody(request, MAX_BYTES));
    const confirmation = readConfirmation(body);
    if (confirmation !== null) await confirm(confirmation);
    return readSes(body);
  }),
};

/** Confirms to SNS that its notifications are wanted, as the secret in its request shows. */
async function confirm(address: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CONFIRMATION_MS);
    const response = await fetch(address, { redirect: "error", signal });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`status ${response.status}`);
  } catch (error) {
    log.error("Amazon SNS did not confirm its subscription: {error}", { error: String(error) });
    throw new Problem(503, "Amazon SNS did not confirm its subscription", {
      headers: { "Retry-After": "60" },
    });
  }
  log.info("Amazon SNS confirmed its subscription");
}
