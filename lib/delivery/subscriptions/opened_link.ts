import type { Database } from "../../database/database.ts";
import type { Limits } from "../../http/clients/limits.ts";
import { dayOf } from "../../text/cadence.ts";
import {
  hashToken,
  isVerificationToken,
  type LinkPurpose,
  makeLinkToken,
  readLinkTokenFor,
} from "../tokens.ts";
import { findLink, findState, followLink, unsubscribe } from "./subscriptions_sql.ts";
import { type OwnSubscription, readSubscription } from "./preferences_sql.ts";

/** What opening a link takes. */
interface LinkServices {
  readonly database: Database;
  readonly limits: Limits;
  readonly clock: () => Date;
  readonly tokenSecret: string;
  readonly config: { readonly DIGEST_ZONE: string };
}

/** The day that it is for those who get emails, `YYYY-MM-DD`. */
export function mailDay({ clock, config }: Pick<LinkServices, "clock" | "config">): string {
  return dayOf(clock(), config.DIGEST_ZONE);
}

/** Who opens a link. */
export interface Opening {
  /** The address of the client. */
  readonly address: string;
  readonly services: LinkServices;
}

/**
 * Reads the id that a token was made for. Null: we did not make it, which counts as a wrong one; a
 * token that we made is read whatever others of the same network have sent.
 *
 * @throws {Problem} 429 where the client sent too many wrong ones
 */
export async function readOwnToken(
  purpose: LinkPurpose,
  token: string,
  { address, services: { limits, tokenSecret } }: Opening,
): Promise<string | null> {
  const id = readLinkTokenFor(purpose, token, tokenSecret);
  if (id === null) await limits.countWrongToken(address);
  return id;
}

/**
 * What a link to unsubscribe opens: nothing that leads further. Mail services and gateways read such a
 * link in the header of an email, and it must not show them what is stored.
 */
export interface OpenedLink {
  subscriptionId: string;
  /** The link did its work at an earlier visit. */
  isDone: boolean;
}

/** What a verification link opens. */
export interface OpenedVerification {
  /** The link did its work at an earlier visit. */
  isDone: boolean;
  /**
   * The tokens that lead on from its page; null: that was more than an hour ago, and another person may
   * have found the link.
   */
  own: { subscriptionId: string; unsubscribeToken: string; preferencesToken: string } | null;
}

/** Who opens a link, and whether that does what the link is for. */
interface Following extends Opening {
  /** False: it only looks where the link leads. */
  readonly acts: boolean;
}

/** Follows a verification link. Null: it is unknown or has expired. */
export async function openVerification(
  token: string,
  { address, acts, services: { database, limits, clock, tokenSecret } }: Following,
): Promise<OpenedVerification | null> {
  const hash = hashToken(token);
  let link = isVerificationToken(token) ? await findLink(database, hash, clock()) : null;
  if (link && acts && !link.isUsed) link = await followLink(database, hash, clock());
  if (link === null) {
    await limits.countWrongToken(address);
    return null;
  }
  const { subscription_id: subscriptionId, isUsed, leadsOn } = link;
  const tokenFor = (purpose: LinkPurpose) => makeLinkToken(purpose, subscriptionId, tokenSecret);
  return {
    isDone: isUsed,
    own: leadsOn
      ? {
        subscriptionId,
        unsubscribeToken: tokenFor("unsubscribe"),
        preferencesToken: tokenFor("preferences"),
      }
      : null,
  };
}

/** Follows an unsubscribe link. Null: there is no such subscription. */
export async function openUnsubscribing(
  token: string,
  opening: Following,
): Promise<OpenedLink | null> {
  const id = await readOwnToken("unsubscribe", token, opening);
  return id === null ? null : await openOwn(id, opening);
}

/** RFC 8058: a mail service unsubscribes for many people, so that no limit holds here. */
export async function unsubscribeAtOnce(
  token: string,
  services: LinkServices,
): Promise<OpenedLink | null> {
  const id = readLinkTokenFor("unsubscribe", token, services.tokenSecret);
  return id === null ? null : await openOwn(id, { services, acts: true });
}

async function openOwn(
  id: string,
  { acts, services: { database, clock } }: Pick<Following, "acts" | "services">,
): Promise<OpenedLink | null> {
  const state = await findState(database, id);
  if (!state) return null;
  if (acts && !await unsubscribe(database, id, clock())) return null;
  return { subscriptionId: id, isDone: state === "unsubscribed" };
}

/** Finds the subscription whose preferences a token opens. Null: there is none. */
export async function openPreferences(
  token: string,
  opening: Opening,
): Promise<OwnSubscription | null> {
  const id = await readOwnToken("preferences", token, opening);
  return id === null
    ? null
    : await readSubscription(opening.services.database, id, mailDay(opening.services));
}
