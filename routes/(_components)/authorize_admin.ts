import { isSameSecret, readToken, wrongToken } from "../../lib/http/clients/authorization.ts";
import { isImportToken, useImportToken } from "../../lib/admin/import_tokens.ts";
import type { ImportToken } from "../../lib/admin/import_tokens_sql.ts";
import { CROSS_SITE_ANSWER, problemAnswer } from "../../lib/http/openapi.ts";
import type { Services } from "../../lib/service/services.ts";

/** The header of a refusal, in words. */
export const RETRY_AFTER = { "Retry-After": "Seconds until the next try" };

/** How a route that needs ADMIN_TOKEN refuses a request. */
export const ADMIN_ANSWERS = {
  401: problemAnswer("The token is missing or wrong", { "WWW-Authenticate": "Bearer" }),
  403: CROSS_SITE_ANSWER,
  429: problemAnswer("Too many wrong tokens from this network", RETRY_AFTER),
};

/**
 * Lets only those through who have ADMIN_TOKEN, and limits guesses of it.
 *
 * @throws {Problem} 401, 429
 */
export async function authorizeAdmin(
  request: Request,
  address: string,
  { config, limits }: Pick<Services, "config" | "limits">,
): Promise<void> {
  const token = config.ADMIN_TOKEN!;
  const sent = readToken(request);
  if (await limits.checkAdminToken(address, token, () => isSameSecret(sent, token))) return;
  throw wrongToken();
}

/**
 * Lets those through who have ADMIN_TOKEN, and those with a token that may only import; returns that
 * token, or null for ADMIN_TOKEN.
 *
 * @throws {Problem} 401, 429
 */
export async function authorizeImport(
  request: Request,
  address: string,
  services: Pick<Services, "config" | "limits" | "databaseForJobs" | "clock">,
): Promise<ImportToken | null> {
  const sent = readToken(request);
  if (!isImportToken(sent)) {
    await authorizeAdmin(request, address, services);
    return null;
  }
  const token = await useImportToken(services.databaseForJobs, sent, services.clock());
  if (token !== null) return token;
  await services.limits.checkAdminToken(address, sent, () => false);
  throw wrongToken();
}
