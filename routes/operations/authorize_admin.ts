import { hasToken, wrongToken } from "../../lib/http/authorization.ts";
import type { Services } from "../../lib/service/services.ts";

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
  const isRight = hasToken(request, config.adminToken!);
  await limits.countAdminToken(address, { isRight });
  if (!isRight) throw wrongToken();
}
