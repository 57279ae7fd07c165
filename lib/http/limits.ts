import { type CountStore, openRequestCounter, type RequestCounter } from "./request_counts_sql.ts";
import { countOf } from "../text/count_of.ts";
import { networkOf, siteNetworkOf } from "./client_address.ts";
import { Problem } from "./problem.ts";

const HOUR = 3600;
/** Tokens cannot be guessed, but guessing must not keep the database busy. */
const WRONG_TOKENS_AN_HOUR = 30;
/** An operator may have chosen a token that can be guessed. */
const WRONG_ADMIN_TOKENS_AN_HOUR = 10;
/** A mail program opens a few, and no mailbox is to be flooded with them. */
const TEST_MAILS_AN_HOUR = 20;
/** All IPv6 networks of one site together have this multiple of the limit. */
const SITE_FACTOR = 3;

/** The limits of one client per hour. */
export class Limits {
  readonly #subscribing: RequestCounter;
  readonly #guessing: RequestCounter;
  readonly #adminGuessing: RequestCounter;
  readonly #testMails: RequestCounter;

  constructor(store: CountStore, { subscribeLimit }: { subscribeLimit: number }) {
    this.#subscribing = openClientCounter(store, "subscribe", subscribeLimit);
    this.#guessing = openClientCounter(store, "wrong-token", WRONG_TOKENS_AN_HOUR);
    this.#adminGuessing = openClientCounter(
      store,
      "wrong-admin-token",
      WRONG_ADMIN_TOKENS_AN_HOUR,
    );
    this.#testMails = openClientCounter(store, "test-mail", TEST_MAILS_AN_HOUR);
  }

  /** Rejects clients that subscribed too often. @throws {Problem} 429 */
  async refuseSubscribing(address: string): Promise<void> {
    refuse(await this.#subscribing.check(address), "requests to subscribe");
  }

  /** Counts a subscribe request that is about to be accepted. @throws {Problem} 429 */
  async countSubscribing(address: string): Promise<void> {
    refuse(await this.#subscribing.count(address), "requests to subscribe");
  }

  /** Counts a wrong token, unless the client has sent too many. @throws {Problem} 429 */
  async countWrongToken(address: string): Promise<void> {
    refuse(await this.#guessing.check(address), "wrong tokens");
    refuse(await this.#guessing.count(address), "wrong tokens");
  }

  /**
   * Counts an ADMIN_TOKEN if it is wrong. A right one costs nothing, but is refused like a wrong one
   * once there were too many, or guessing would have no limit.
   *
   * @throws {Problem} 429
   */
  async countAdminToken(address: string, { isRight }: { isRight: boolean }): Promise<void> {
    const ask = isRight ? "check" : "count";
    refuse(await this.#adminGuessing[ask](address), "wrong tokens");
  }

  /**
   * Counts a try before it is compared, so that no more are compared than the limit allows, however
   * many arrive at once; a right one is given back.
   *
   * @throws {Problem} 429
   */
  async tryAdminToken(address: string, compare: () => boolean): Promise<boolean> {
    refuse(await this.#adminGuessing.count(address), "wrong tokens");
    const isRight = compare();
    if (isRight) await this.#adminGuessing.giveBack(address);
    return isRight;
  }

  /** Counts an email that an operator has sent as a test. @throws {Problem} 429 */
  async countTestMail(address: string): Promise<void> {
    refuse(await this.#testMails.count(address), "test emails");
  }
}

/**
 * Counts by address: its network first, so a rejected network does not use up the limit of its
 * site.
 */
function openClientCounter(store: CountStore, kind: string, limit: number): RequestCounter {
  const open = (kind: string, limit: number) =>
    openRequestCounter(store, { kind, limit, seconds: HOUR });
  const networks = open(kind, limit);
  const sites = open(`${kind}-site`, limit * SITE_FACTOR);
  const checkBoth = (ask: "count" | "check") => async (address: string): Promise<number | null> => {
    const site = siteNetworkOf(address);
    const seconds = await networks[ask](networkOf(address));
    return seconds === null && site !== null ? await sites[ask](site) : seconds;
  };
  return {
    count: checkBoth("count"),
    check: checkBoth("check"),
    async giveBack(address) {
      const site = siteNetworkOf(address);
      await networks.giveBack(networkOf(address));
      if (site !== null) await sites.giveBack(site);
    },
  };
}

function refuse(seconds: number | null, what: string): void {
  if (seconds === null) return;
  const minutes = Math.ceil(seconds / 60);
  throw new Problem(
    429,
    `Too many ${what} from your network address, try again in ${countOf(minutes, "minute")}`,
    { headers: { "Retry-After": String(seconds), "Referrer-Policy": "no-referrer" } },
  );
}
