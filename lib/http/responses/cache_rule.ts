import type { DataVersion } from "../../database/data_version.ts";
import type { Representation } from "./representation.ts";

/** A cached response, with what decides whether it may still be used. */
export interface CachedResponse {
  readonly representation: Representation;
  /** Milliseconds since 1970, as all times here. */
  readonly builtAt: number;
  /** Until then it is used without a check. */
  readonly expiresAt: number;
  /** The state of the data when it was built; empty: irrelevant. */
  readonly dataState: string;
}

/** How long cached responses may be used (RFC 9111, section 4.2). */
export interface CacheRule {
  /** The state of the data that a response of this moment is built from. */
  dataState(): string;
  /** Until when a response may be used without a check. */
  expiresAt(builtAt: number, now: number): number;
  /** `stale`: served and marked as stale; `expired`: it must be loaded or rebuilt. */
  stateOf(response: CachedResponse, now: number): "fresh" | "stale" | "expired";
  /** Whether a response may be served while the database is too busy. */
  mayServe?(response: CachedResponse, now: number): boolean;
  /** Loads a response that all processes share. */
  load?(key: string): Promise<CachedResponse | null>;
  store?(key: string, response: CachedResponse): Promise<void>;
  /** Revalidates a stale response in the background, unless another process is doing so. */
  revalidate?(key: string, stale: CachedResponse, build: () => Promise<void>): void;
}

/** Fresh for as long as neither the data nor the UTC day has changed. */
export class UntilDataChanges implements CacheRule {
  #version = -1;
  #day = -1;
  #dataState = "";

  constructor(
    private readonly dataVersion: Pick<DataVersion, "current">,
    private readonly clock: () => Date,
  ) {}

  dataState(): string {
    return this.#dataStateAt(this.clock().getTime());
  }

  expiresAt(): number {
    return Infinity;
  }

  stateOf({ dataState, builtAt, expiresAt }: CachedResponse, now: number): "fresh" | "expired" {
    const isCurrent = dataState === this.#dataStateAt(now);
    // Setting the clock back must not extend the life of a response.
    const isAlive = Math.abs(now - builtAt) < expiresAt - builtAt;
    return isCurrent && isAlive ? "fresh" : "expired";
  }

  /** The data version and the day, counted from 1970; the same text until one of them changes. */
  #dataStateAt(now: number): string {
    const { current: version } = this.dataVersion;
    const day = Math.floor(now / 86_400_000);
    if (version !== this.#version || day !== this.#day) {
      this.#version = version;
      this.#day = day;
      this.#dataState = `${version} ${day}`;
    }
    return this.#dataState;
  }
}
