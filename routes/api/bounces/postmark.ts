import { readPostmark } from "../../../lib/delivery/bounces/providers.ts";
import { parseBody, readBody } from "../../../lib/http/requests/body.ts";
import { MAX_BYTES, providerRoute, requirePassword } from "../../(_components)/bounce_provider.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "json",
  summary: "Receives bounces and complaints from Postmark",
};

/** Bounces and complaints of Postmark, which sends the secret as a password. */
export const handler: ActionHandlers = {
  POST: providerRoute("Postmark", async (request, address, services) => {
    await requirePassword(request, address, services);
    return readPostmark(parseBody(await readBody(request, MAX_BYTES)));
  }),
};
