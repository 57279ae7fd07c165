import { readAzure, readAzureCode } from "../../../lib/delivery/bounces/providers.ts";
import { PRIVATE_HEADERS } from "../../../lib/http/clients/link_token.ts";
import { parseBody, readBody } from "../../../lib/http/requests/body.ts";
import { MAX_BYTES, providerRoute, requireSecret } from "../../(_components)/bounce_provider.ts";
import type { ActionConfig, ActionHandlers } from "../../route.ts";

export const config: ActionConfig = {
  errors: "json",
  summary: "Receives bounces from Azure Communication Services",
};

/**
 * Bounces of Azure Communication Services, through Event Grid, which sends the secret in a header or
 * as the parameter `code` of the address.
 */
export const handler: ActionHandlers = {
  POST: providerRoute("Azure", async (request, address, services) => {
    await requireSecret(request, address, services);
    const body = parseBody(await readBody(request, MAX_BYTES));
    const validationResponse = readAzureCode(body);
    if (validationResponse === null) return readAzure(body);
    return Response.json({ validationResponse }, { headers: PRIVATE_HEADERS });
  }),
};
