import type { DataVersion } from "../database/data_version.ts";
import type { Representation } from "./representation.ts";

/** A response in the cache, with what tells whether it may still be used. */
export interface CachedResponse {
  readonly representation: Representation;
  /** Milliseconds since 1970, as all times here. */
  readonly builtAt: number;
  /** Until then it is used without asking anybody. */
  readonly expiresAt: number;
  /** What the data was when it was built; empty: that does not matter. */
  readonly validator: string;
}

/** How long cached responses may be used (RFC 9111, section 4.2). */
export interface Freshness {
  /** What a response that is built now is built from. */
  validator(): string;
  /** Until when a response may be used without asking anybody. */
  expiresAt(builtAt: number, now: number): number;
  /** `stale`: it is served with a mark; `expired`: it must be loaded or built anew. */
  stateOf(response: CachedResponse, now: number): "fresh" | "stale" | "expired";
  /** Tells whether a response may be served where the database is too busy to be asked. */
  mayServe?(response: CachedResponse, now: number): boolean;
  /** Reads what all processes share. */
  load?(key: string): Promise<CachedResponse | null>;
  store?(key: string, response: CachedResponse): Promise<void>;
  /** Has a stale response built anew in the background, unless another process is at it. */
  revalidate?(key: string, stale: CachedResponse, build: () => Promise<void>): void;
}

/** Fresh for as long as neither the data nor the UTC day has changed. */
export class DataVersionFreshness implements Freshness {
  constructor(
    private readonly dataVersion: Pick<DataVersion, "current">,
    private readonly clock: () => Date,
  ) {}

  validator(): string {
    return this.#validatorAt(this.clock().getTime());
  }

  expiresAt(): number {
    return Infinity;
  }

  stateOf({ validator, builtAt, expiresAt }: CachedResponse, now: number): "fresh" | "expired" {
    const isCurrent = validator === this.#validatorAt(now);
    // A clock that was put back must not make a response live longer.
    const isAlive = Math.abs(now - builtAt) < expiresAt - builtAt;
    return isCurrent && isAlive ? "fresh" : "expired";
  }

  /** The data version and the day, counted from 1970. */
  #validatorAt(now: number): string {
    return `${this.dataVersion.current} ${Math.floor(now / 86_400_000)}`;
  }
}
