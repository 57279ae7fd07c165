import { type CountStore, openRequestCounter, type RequestCounter } from "./request_counts_sql.ts";
import { said } from "../../text/said.ts";
import { networkOf, siteNetworkOf } from "./client_address.ts";
import { Problem } from "../responses/problem.ts";

const HOUR = 3600;
/** How many wrong ones a client may send in an hour. */
const WRONG = {
  /** These cannot be guessed, but guessing must not keep the database busy. */
  "wrong-token": 30,
  /** An operator may have chosen one that can be guessed. */
  "wrong-admin-token": 10,
  "wrong-bounce-secret": 30,
} as const;
/** Nobody guesses a secret of so many characters, so a right one need not wait for a limit. */
const UNGUESSABLE_LENGTH = 32;
/** All IPv6 networks of one site together have this multiple of the limit. */
const SITE_FACTOR = 3;

/** The limits of one client per hour. */
export class Limits {
  readonly #counters: Readonly<Record<keyof typeof WRONG | "subscribe", RequestCounter>>;

  constructor(store: CountStore, { SUBSCRIBE_LIMIT }: { SUBSCRIBE_LIMIT: number }) {
    const open = (kind: keyof typeof WRONG) => openClientCounter(store, kind, WRONG[kind]);
    this.#counters = {
      "subscribe": openClientCounter(store, "subscribe", SUBSCRIBE_LIMIT),
      "wrong-token": open("wrong-token"),
      "wrong-admin-token": open("wrong-admin-token"),
      "wrong-bounce-secret": open("wrong-bounce-secret"),
    };
  }

  /**
   * Takes a request to subscribe. It is counted before anything of it is read, so that no client has
   * more of them looked at at once than it may send, and given back if it is refused.
   *
   * @throws {Problem} 429
   */
  async takeSubscribing<Result>(
    address: string,
    take: () => Promise<Result>,
  ): Promise<Result> {
    refuse(await this.#counters.subscribe.count(address), "problem.subscribing");
    try {
      return await take();
    } catch (error) {
      await this.#counters.subscribe.giveBack(address);
      throw error;
    }
  }

  /** Counts a wrong token, unless the client has sent too many. @throws {Problem} 429 */
  async countWrongToken(address: string): Promise<void> {
    refuse(await this.#counters["wrong-token"].check(address));
    refuse(await this.#counters["wrong-token"].count(address));
  }

  /**
   * Whether a client has sent ADMIN_TOKEN, by comparing. Scripts send a right one any number of times
   * at once, so only wrong ones are counted.
   *
   * @throws {Problem} 429
   */
  async checkAdminToken(address: string, token: string, compare: () => boolean): Promise<boolean> {
    const isRight = compare();
    if (isRight && token.length >= UNGUESSABLE_LENGTH) return true;
    refuse(await this.#counters["wrong-admin-token"][isRight ? "check" : "count"](address));
    return isRight;
  }

  /**
   * Compares with a secret, and counts a wrong try. One that might be guessed is counted before it is
   * compared, so that no more are compared than the limit allows, however many arrive at once, and is
   * given back if it is right.
   *
   * @throws {Problem} 429
   */
  async trySecret(
    kind: "wrong-admin-token" | "wrong-bounce-secret",
    { address, secret }: { address: string; secret: string },
    compare: () => boolean,
  ): Promise<boolean> {
    if (secret.length >= UNGUESSABLE_LENGTH && compare()) return true;
    const counter = this.#counters[kind];
    refuse(await counter.count(address));
    const isRight = compare();
    if (isRight) await counter.giveBack(address);
    return isRight;
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

function refuse(
  seconds: number | null,
  key: "problem.subscribing" | "problem.tokens" = "problem.tokens",
): void {
  if (seconds === null) return;
  throw new Problem(429, said(key, { minutes: Math.ceil(seconds / 60) }), {
    headers: { "Retry-After": String(seconds), "Referrer-Policy": "no-referrer" },
  });
}
