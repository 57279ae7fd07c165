import type { Database } from "../database/database.ts";
import type { Limits } from "../http/limits.ts";
import { findLink, findState, followLink, unsubscribe } from "./subscriptions_sql.ts";
import { hashToken, makeLinkToken, readLinkTokenFor } from "./tokens.ts";

/** What a link opens. */
export interface OpenedLink {
  /** The link did its work at an earlier visit. */
  isDone: boolean;
  subscriptionId: string;
  unsubscribeToken: string;
  preferencesToken: string;
}

interface LinkServices {
  readonly database: Database;
  readonly limits: Limits;
  readonly clock: () => Date;
  readonly tokenSecret: string;
}

/** Who opens a link, and whether that does what the link is for. */
interface Opening {
  /** The address of the client. */
  readonly address: string;
  /** False: it only looks where the link leads. */
  readonly acts: boolean;
  readonly services: LinkServices;
}

/** Follows a verification link. Null: it is unknown or has ended. */
export function openVerification(token: string, opening: Opening): Promise<OpenedLink | null> {
  const { acts, services: { database, clock, tokenSecret } } = opening;
  return limitGuessing(opening, async () => {
    const open = acts ? followLink : findLink;
    const link = await open(database, hashToken(token), clock());
    return link && { isDone: link.isUsed, ...tokensOf(link.subscription_id, tokenSecret) };
  });
}

/** Follows an unsubscribe link. Null: there is no such subscription. */
export function openUnsubscribing(token: string, opening: Opening): Promise<OpenedLink | null> {
  return limitGuessing(opening, () => findUnsubscribing(token, opening));
}

/** RFC 8058: a mail service unsubscribes for many people, so that no limit holds here. */
export function unsubscribeAtOnce(
  token: string,
  services: LinkServices,
): Promise<OpenedLink | null> {
  return findUnsubscribing(token, { services, acts: true });
}

async function findUnsubscribing(
  token: string,
  { acts, services: { database, clock, tokenSecret } }: Pick<Opening, "acts" | "services">,
): Promise<OpenedLink | null> {
  const id = readLinkTokenFor("unsubscribe", token, tokenSecret);
  const state = id && await findState(database, id);
  if (!id || !state) return null;
  if (acts && !await unsubscribe(database, id, clock())) return null;
  return { isDone: state === "unsubscribed", ...tokensOf(id, tokenSecret) };
}

function tokensOf(
  id: string,
  secret: string,
): Omit<OpenedLink, "isDone"> {
  return {
    subscriptionId: id,
    unsubscribeToken: makeLinkToken("unsubscribe", id, secret),
    preferencesToken: makeLinkToken("preferences", id, secret),
  };
}

async function limitGuessing<Found>(
  { address, services: { limits } }: Opening,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  await limits.refuseGuessing(address);
  const found = await find();
  if (found === null) await limits.countWrongToken(address);
  return found;
}
