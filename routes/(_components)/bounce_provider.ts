import { getLogger } from "@logtape/logtape";
import type { BounceReport } from "../../lib/delivery/bounces/bounce.ts";
import { handleReport } from "../../lib/delivery/bounces/bounces_sql.ts";
import { isSameSecret, readPassword, wrongPassword } from "../../lib/http/clients/authorization.ts";
import { PRIVATE_HEADERS } from "../../lib/http/clients/link_token.ts";
import type { Services } from "../../lib/service/services.ts";
import type { ActionHandler } from "../route.ts";

/** A notification of SNS has at most 256 KB, which its envelope may escape. */
export const MAX_BYTES = 512 * 1024;

const log = getLogger(["roadcast", "mail"]);

/** The answer is the same whether the address of the report is known or not. */
export function providerRoute(
  provider: string,
  read: (request: Request, address: string, services: Services) => Promise<BounceReport | null>,
): ActionHandler {
  return {
    isOn: ({ BOUNCE_SECRET: bounceSecret }) => bounceSecret !== null,
    async answer(request, { address }, { services }) {
      const report = await read(request, address, services);
      if (report !== null) {
        const count = await handleReport(services.database, report, services.clock());
        if (count > 0) {
          log.warn("{provider} reported rejected emails: {count} recipients get no more", {
            provider,
            count,
          });
        }
      }
      return Response.json({ status: "ok" }, { headers: PRIVATE_HEADERS });
    },
  };
}

/** Checks the secret that a provider sends as a password. @throws {Problem} */
export async function requirePassword(
  request: Request,
  address: string,
  { config: { BOUNCE_SECRET: bounceSecret }, limits }: Services,
): Promise<void> {
  const secret = bounceSecret!;
  const sent = readPassword(request);
  if (await limits.tryBounceSecret(address, secret, () => isSameSecret(sent, secret))) return;
  throw wrongPassword();
}
