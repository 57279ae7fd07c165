import { getLogger } from "@logtape/logtape";
import type { Config } from "../../config/config.ts";

/** After this many requests with X-Forwarded-For a peer is taken for a proxy. */
const MANY = 50;
/** More peers than this are forgotten. */
const MAX_PEERS = 1_000;

const log = getLogger(["roadcast", "http"]);

/** Notices a proxy that TRUSTED_PROXIES does not know of, and says so once. */
export class ProxyCheck {
  readonly #counts = new Map<string, number>();
  #isDone: boolean;

  constructor({ TRUSTED_PROXIES: trustedProxies }: Pick<Config, "TRUSTED_PROXIES">) {
    this.#isDone = trustedProxies > 0;
  }

  /** Looks at a request that came from this peer. */
  note(headers: Headers, peer: string): void {
    if (this.#isDone || !headers.has("x-forwarded-for")) return;
    const count = (this.#counts.get(peer) ?? 0) + 1;
    if (this.#counts.size >= MAX_PEERS) this.#counts.clear();
    this.#counts.set(peer, count);
    if (count < MANY) return;
    this.#isDone = true;
    this.#counts.clear();
    log.warn(
      "Requests come through a proxy at {peer}, but TRUSTED_PROXIES is 0, so all clients count as one for the rate limits: set it to the number of proxies",
      { peer },
    );
  }
}
