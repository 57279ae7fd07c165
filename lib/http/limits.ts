import { LRUCache } from "lru-cache";
import { type CountStore, openRequestCounter, type RequestCounter } from "./request_counts_sql.ts";
import { countOf } from "../text/count_of.ts";
import { networkOf, siteNetworkOf } from "./client_address.ts";
import { Problem } from "./problem.ts";

const HOUR = 3600;
/** Tokens cannot be guessed, but guessing must not keep the database busy. */
const WRONG_TOKENS_AN_HOUR = 30;
/** An operator may have chosen a token that can be guessed. */
const WRONG_ADMIN_TOKENS_AN_HOUR = { client: 10, all: 100 };
/** Under this key the wrong ADMIN_TOKENs of all clients are counted. */
const ALL = "all";
/** So many clients that had the right ADMIN_TOKEN within a day are known to a process. */
const MOST_OPERATORS = { max: 1_000, ttl: 24 * HOUR * 1000 };
/** All IPv6 networks of one site together have this multiple of the limit. */
const SITE_FACTOR = 3;

/** The limits of one client per hour. */
export class Limits {
  readonly #subscribing: RequestCounter;
  readonly #guessing: RequestCounter;
  readonly #adminGuessing: RequestCounter;
  readonly #allAdminGuessing: RequestCounter;
  readonly #operators = new LRUCache<string, true>(MOST_OPERATORS);

  constructor(store: CountStore, { subscribeLimit }: { subscribeLimit: number }) {
    this.#subscribing = openClientCounter(store, "subscribe", subscribeLimit);
    this.#guessing = openClientCounter(store, "wrong-token", WRONG_TOKENS_AN_HOUR);
    const { client, all } = WRONG_ADMIN_TOKENS_AN_HOUR;
    this.#adminGuessing = openClientCounter(store, "wrong-admin-token", client);
    this.#allAdminGuessing = openRequestCounter(store, {
      kind: "wrong-admin-tokens",
      limit: all,
      seconds: HOUR,
    });
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
   * once there were too many, or guessing would have no limit. Each waits for those before it on
   * the row of the count, so that of many at once no more are told apart than of some in a row.
   *
   * @throws {Problem} 429
   */
  async countAdminToken(address: string, { isRight }: { isRight: boolean }): Promise<void> {
    const points = isRight ? 0 : 1;
    refuse(await this.#adminGuessing.count(address, points), "wrong tokens");
    const network = networkOf(address);
    // The wrong tokens of others do not keep out who has the right one.
    if (isRight && this.#operators.has(network)) return;
    refuse(await this.#allAdminGuessing.count(ALL, points), "wrong tokens", "all clients together");
    if (isRight) this.#operators.set(network, true);
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
  const askBoth =
    (ask: "count" | "check") => async (address: string, points?: 0 | 1): Promise<number | null> => {
      const site = siteNetworkOf(address);
      const seconds = await networks[ask](networkOf(address), points);
      return seconds === null && site !== null ? await sites[ask](site, points) : seconds;
    };
  return { count: askBoth("count"), check: askBoth("check") };
}

function refuse(seconds: number | null, what: string, from = "your network address"): void {
  if (seconds === null) return;
  const minutes = Math.ceil(seconds / 60);
  throw new Problem(
    429,
    `Too many ${what} from ${from}, try again in ${countOf(minutes, "minute")}`,
    { headers: { "Retry-After": String(seconds), "Referrer-Policy": "no-referrer" } },
  );
}
