import { getLogger } from "@logtape/logtape";
import { z } from "zod";
import { takeRequest } from "../lib/delivery/subscription_requests_sql.ts";
import { findLink, findState, followLink, unsubscribe } from "../lib/delivery/subscriptions_sql.ts";
import { parseEmailAddress } from "../lib/delivery/email_address.ts";
import { clientAddress } from "../lib/http/client_address.ts";
import { parseShape } from "../lib/http/parameters.ts";
import { Problem } from "../lib/http/problem.ts";
import { hashToken, makeUnsubscribeToken, readUnsubscribeToken } from "../lib/delivery/tokens.ts";
import type { Client, Context, Services } from "./route.ts";

const log = getLogger(["roadcast", "mail"]);

const MOST_VALUES = 100;
const LONGEST_VALUE = 200;

const EMAIL = z.string("must be text").transform((text, context) => {
  const { address, reason } = parseEmailAddress(text);
  if (address !== undefined) return address;
  context.addIssue(reason);
  return z.NEVER;
});

const VALUES = z.array(
  z.string("must be text")
    .min(1, "must not be empty")
    .max(LONGEST_VALUE, `must be at most ${LONGEST_VALUE} characters long`)
    .refine((value) => !value.includes("\0"), "must not hold a NUL character")
    .transform((value) => value.toWellFormed()),
  "must be a list of texts",
)
  .max(MOST_VALUES, `must have at most ${MOST_VALUES} values`)
  .transform((values) => [...new Set(values)])
  .nullish().transform((values) => values ?? []);

/** Interface specification, 2.8: a request to subscribe; an absent list is an empty one. */
export const SUBSCRIPTION = z.object(
  { email: EMAIL, products: VALUES, types: VALUES, statuses: VALUES },
  "must be an object with an email",
);

const ONLY_EMAIL = z.object({ email: EMAIL });

/** Who asks. */
export interface Asking {
  readonly request: Request;
  readonly client: Client;
}

/**
 * Takes a request to subscribe, from a script or a form: `{ email, products, types, statuses }`.
 * What happens then depends on what is known of the address, and nothing tells it to the client.
 *
 * @throws {Problem} 400 that names the field, 429 where the client asked too often
 */
export async function requestSubscription(
  asked: unknown,
  asking: Asking,
  context: Context,
): Promise<void> {
  const { email, ...wishes } = parseShape(SUBSCRIPTION, asked);
  await request(email, { ...asking, wishes, context });
}

/** Takes a request for a new link: the wishes that are stored for the address stay. */
export async function requestNewLink(
  asked: unknown,
  asking: Asking,
  context: Context,
): Promise<void> {
  const { email } = parseShape(ONLY_EMAIL, asked);
  await request(email, { ...asking, wishes: null, context });
}

async function request(
  email: string,
  { wishes, context: { services, site }, ...asking }: Asking & {
    wishes: Omit<z.output<typeof SUBSCRIPTION>, "email"> | null;
    context: Context;
  },
): Promise<void> {
  const mailsAnHour = services.config.verificationLimit;
  await services.limits.countSubscribing(addressOf(asking, services));
  const { isLastOfHour } = await takeRequest(services.database, {
    email,
    wishes,
    variant: site.variant.name,
    mailsAnHour,
    now: services.clock(),
  });
  if (isLastOfHour) {
    log.warn("{mailsAnHour} verification mails within an hour: VERIFICATION_LIMIT is reached", {
      mailsAnHour,
    });
  }
}

/** What a link opens. */
export interface OpenedLink {
  /** The link did its work at an earlier visit. */
  isDone: boolean;
  unsubscribeToken: string;
}

/** Follows a verification link, or only looks where it leads. Null: it is unknown or has ended. */
export async function openVerification(
  token: string,
  asking: Asking,
  { services, acts }: { services: Services; acts: boolean },
): Promise<OpenedLink | null> {
  return await limitGuessing(asking, services, async () => {
    const { database, clock } = services;
    const open = acts ? followLink : findLink;
    const link = await open(database, hashToken(token), clock());
    return link && {
      isDone: link.isUsed,
      unsubscribeToken: makeUnsubscribeToken(link.subscription_id, services.tokenSecret),
    };
  });
}

/** Follows an unsubscribe link, or only looks where it leads. Null: there is no such subscription. */
export async function openUnsubscribing(
  token: string,
  asking: Asking,
  { services, acts }: { services: Services; acts: boolean },
): Promise<OpenedLink | null> {
  return await limitGuessing(asking, services, () => findUnsubscribing(token, services, acts));
}

/** RFC 8058: a mail service unsubscribes for many people, so that no limit holds here. */
export async function unsubscribeAtOnce(
  token: string,
  services: Services,
): Promise<OpenedLink | null> {
  return await findUnsubscribing(token, services, true);
}

async function findUnsubscribing(
  token: string,
  { database, clock, tokenSecret }: Services,
  acts: boolean,
): Promise<OpenedLink | null> {
  const id = readUnsubscribeToken(token, tokenSecret);
  const state = id && await findState(database, id);
  if (!id || !state) return null;
  if (acts && !await unsubscribe(database, id, clock())) return null;
  return { isDone: state === "unsubscribed", unsubscribeToken: token };
}

async function limitGuessing<Found>(
  asking: Asking,
  services: Services,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  const address = addressOf(asking, services);
  await services.limits.refuseGuessing(address);
  const found = await find();
  if (found === null) await services.limits.countWrongToken(address);
  return found;
}

function addressOf({ request, client: { peer } }: Asking, { config }: Services): string {
  return clientAddress(request.headers, { peer, trustedProxies: config.trustedProxies });
}

/**
 * Reads the token of a link. Browsers and mail programs that only fetch a page in advance are
 * turned away: what they fetch would act, or be shown later as if it had acted.
 *
 * @throws {Problem} 503 for a prefetch (its status makes the browser ask again when needed)
 */
export function readToken({ headers }: Request, { target }: Client): string | null {
  const purposes = ["sec-purpose", "purpose", "x-purpose", "x-moz"]
    .map((name) => headers.get(name) ?? "").join(" ");
  if (/\b(prefetch|prerender|preview)\b/i.test(purposes)) {
    throw new Problem(
      503,
      "This link acts when it is opened, so that it is not fetched in advance",
      {
        headers: PRIVATE_HEADERS,
      },
    );
  }
  return new URLSearchParams(target.query).get("token") || null;
}

/** The headers of whatever carries a token or was asked for with one. */
export const PRIVATE_HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
} as const;
