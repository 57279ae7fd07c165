import { getLogger } from "@logtape/logtape";
import type { BounceReport } from "../../lib/delivery/bounces/providers.ts";
import { handleReports } from "../../lib/delivery/bounces/bounces_sql.ts";
import {
  isSameSecret,
  readPassword,
  readToken,
  wrongPassword,
  wrongToken,
} from "../../lib/http/clients/authorization.ts";
import { PRIVATE_HEADERS } from "../../lib/http/clients/link_token.ts";
import type { Services } from "../../lib/service/services.ts";
import type { ActionHandler } from "../route.ts";

/** A batch of Event Grid has at most 1 MB, a notification of SNS 256 KB, which its envelope may escape. */
export const MAX_BYTES = 1024 * 1024;

const log = getLogger(["roadcast", "mail"]);

/** The answer to a report is the same whether the address of the report is known or not. */
export function providerRoute(
  provider: string,
  read: (
    request: Request,
    address: string,
    services: Services,
  ) => Promise<BounceReport[] | Response>,
): ActionHandler {
  return {
    isOn: ({ BOUNCE_SECRET: bounceSecret }) => bounceSecret !== null,
    async answer(request, { address }, { services }) {
      const reports = await read(request, address, services);
      if (reports instanceof Response) return reports;
      const count = await handleReports(services.database, reports, services.clock());
      if (count > 0) {
        log.warn("{provider} reported rejected emails: {count} recipients get no more", {
          provider,
          count,
        });
      }
      return Response.json({ status: "ok" }, { headers: PRIVATE_HEADERS });
    },
  };
}

/** Checks the secret that a provider sends as a password. @throws {Problem} */
export async function requirePassword(
  request: Request,
  address: string,
  services: Services,
): Promise<void> {
  if (!await isSecret(readPassword(request), address, services)) throw wrongPassword();
}

/** Checks the secret of a provider that can send no password, in a header or the address. @throws {Problem} */
export async function requireSecret(
  request: Request,
  address: string,
  services: Services,
): Promise<void> {
  const sent = new URL(request.url).searchParams.get("code") ?? readToken(request);
  if (!await isSecret(sent, address, services)) throw wrongToken();
}

/** Whether a provider sent the secret; wrong ones are counted by its address. @throws {Problem} */
function isSecret(
  sent: string,
  address: string,
  { config: { BOUNCE_SECRET: bounceSecret }, limits }: Services,
): Promise<boolean> {
  const secret = bounceSecret!;
  return limits.trySecret(
    "wrong-bounce-secret",
    { address, secret },
    () => isSameSecret(sent, secret),
  );
}
