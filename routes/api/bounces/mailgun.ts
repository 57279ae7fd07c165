import { isOfMailgun, readMailgun } from "../../../lib/delivery/bounces/providers.ts";
import { parseBody, readBody } from "../../../lib/http/requests/body.ts";
import { Problem } from "../../../lib/http/responses/problem.ts";
import { providerRoute } from "../../(_components)/bounce_provider.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

/** An event of Mailgun, which shows only by its content that it is one, has a few KB. */
const MAX_UNKNOWN_BYTES = 64 * 1024;

export const config: ActionConfig = {
  errors: "json",
  summary: "Receives bounces and complaints from Mailgun",
};

/** Bounces and complaints of Mailgun, which signs each with the secret. */
export const handler: ActionHandlers = {
  POST: providerRoute("Mailgun", async (request, address, services) => {
    const body = parseBody(await readBody(request, MAX_UNKNOWN_BYTES));
    const { config: { BOUNCE_SECRET: bounceSecret }, limits, clock } = services;
    const key = bounceSecret!;
    const isSigned = () => isOfMailgun(body, { key, now: clock() });
    if (await limits.trySecret("wrong-bounce-secret", { address, secret: key }, isSigned)) {
      return readMailgun(body);
    }
    throw new Problem(403, "The signature is wrong, or older than a day");
  }),
};
