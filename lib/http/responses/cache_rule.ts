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
  /** Whether a response was right a moment ago, and may be served while its successor has to wait. */
  wasRight?(response: CachedResponse, now: number): boolean;
  /** Whether a response may be served while the database is too busy. */
  mayServe?(response: CachedResponse, now: number): boolean;
  /** Loads a response that all processes share. */
  load?(key: string): Promise<CachedResponse | null>;
  store?(key: string, response: CachedResponse): Promise<void>;
  /** Revalidates a stale response in the background, unless another process is doing so. */
  revalidate?(key: string, stale: CachedResponse, build: () => Promise<void>): void;
}

/** So long after an import its readers may get what was right before it, while many wait. */
const MAX_BEHIND_MS = 30_000;

/** Fresh for as long as neither the data nor the UTC day has changed. */
export class UntilDataChanges implements CacheRule {
  #version = -1;
  #day = -1;
  #dataState = "";
  /** The states of this day, with when this process saw the next one. */
  #ended = new Map<string, number>();

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

  wasRight({ dataState, expiresAt }: CachedResponse, now: number): boolean {
    const end = this.#ended.get(dataState);
    return end !== undefined && now >= end && now - end <= MAX_BEHIND_MS && now < expiresAt;
  }

  /** The data version and the day, counted from 1970; the same text until one of them changes. */
  #dataStateAt(now: number): string {
    const { current: version } = this.dataVersion;
    const day = Math.floor(now / 86_400_000);
    if (version !== this.#version || day !== this.#day) {
      if (day !== this.#day) this.#ended.clear();
      else this.#noteEnd(now);
      this.#version = version;
      this.#day = day;
      this.#dataState = `${version} ${day}`;
    }
    return this.#dataState;
  }

  #noteEnd(now: number): void {
    this.#ended.set(this.#dataState, now);
    for (const [state, end] of this.#ended) {
      if (now - end > MAX_BEHIND_MS) this.#ended.delete(state);
    }
  }
}
