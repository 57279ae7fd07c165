import { getLogger } from "@logtape/logtape";
import type { BounceReport } from "../../lib/delivery/bounces/bounce.ts";
import { handleReport } from "../../lib/delivery/bounces/bounces_sql.ts";
import { isOfMailgun, readMailgun } from "../../lib/delivery/bounces/mailgun.ts";
import { readPostmark } from "../../lib/delivery/bounces/postmark.ts";
import { readConfirmation, readSes } from "../../lib/delivery/bounces/ses.ts";
import { isSameSecret, readPassword, wrongPassword } from "../../lib/http/authorization.ts";
import { parseJson, readBody } from "../../lib/http/body.ts";
import { PRIVATE_HEADERS } from "../../lib/http/link_token.ts";
import { Problem } from "../../lib/http/problem.ts";
import type { Services } from "../../lib/service/services.ts";
import type { ActionHandler } from "../route.ts";

/** A notification of SNS has at most 256 KB, which its envelope may escape. */
const MAX_BYTES = 512 * 1024;
/** An event of Mailgun, which shows only by its content that it is one, has a few KB. */
const MAX_UNKNOWN_BYTES = 64 * 1024;
const CONFIRMATION_MS = 10_000;

const log = getLogger(["roadcast", "mail"]);

/** Bounces and complaints of Amazon SES, through SNS, which sends the secret as a password. */
export const sesBounces = providerRoute("Amazon SES", async (request, address, services) => {
  await requirePassword(request, address, services);
  const body = parseJson(await readBody(request, MAX_BYTES));
  const confirmation = readConfirmation(body);
  if (confirmation !== null) await confirm(confirmation);
  return readSes(body);
});

/** Bounces and complaints of Postmark, which sends the secret as a password. */
export const postmarkBounces = providerRoute("Postmark", async (request, address, services) => {
  await requirePassword(request, address, services);
  return readPostmark(parseJson(await readBody(request, MAX_BYTES)));
});

/** Bounces and complaints of Mailgun, which signs each with the secret. */
export const mailgunBounces = providerRoute("Mailgun", async (request, address, services) => {
  const body = parseJson(await readBody(request, MAX_UNKNOWN_BYTES));
  const { config: { BOUNCE_SECRET: bounceSecret }, limits, clock } = services;
  const key = bounceSecret!;
  const isSigned = () => isOfMailgun(body, { key, now: clock() });
  if (await limits.tryBounceSecret(address, key, isSigned)) return readMailgun(body);
  throw new Problem(403, "The signature is wrong, or older than a day");
});

/** The answer is the same whether the address of the report is known or not. */
function providerRoute(
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

async function requirePassword(
  request: Request,
  address: string,
  { config: { BOUNCE_SECRET: bounceSecret }, limits }: Services,
): Promise<void> {
  const secret = bounceSecret!;
  const sent = readPassword(request);
  if (await limits.tryBounceSecret(address, secret, () => isSameSecret(sent, secret))) return;
  throw wrongPassword();
}

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
