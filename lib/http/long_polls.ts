import { LRUCache } from "lru-cache";
import type { DataVersion } from "../database/data_version.ts";
import { SingleFlight } from "../single_flight.ts";
import type { BuildLimit } from "./build_limit.ts";
import { answerCaller } from "./request_caller.ts";

/** So many requests wait at once in a process; one more is answered at once. */
const MOST_WAITING = 100;
/** So many answers without news are remembered for those who ask again and again. */
const MOST_REMEMBERED = 500;

/** The turn of one request that waits for new data. */
export interface Turn extends Disposable {
  /**
   * Waits for data that is newer than a version; false: the time is over, or the server stops.
   *
   * @throws the reason of the request's signal where the client has left
   */
  untilNewer(version: number): Promise<boolean>;
}

/**
 * Requests that wait for new data. While one waits it holds nothing but its connection: no
 * connection to the database and no room to build an answer in.
 */
export class LongPolls {
  readonly #wakes = new Set<() => void>();
  readonly #building = new SingleFlight<unknown>({ acceptsReplica: true });
  readonly #withoutNews = new LRUCache<string, NonNullable<unknown>>({ max: MOST_REMEMBERED });
  #turns = 0;
  #isStopped = false;

  constructor(
    private readonly parts: {
      readonly dataVersion: Pick<DataVersion, "current" | "onChange">;
      readonly buildLimit: BuildLimit;
    },
  ) {
    parts.dataVersion.onChange(() => this.#wakeAll());
  }

  /** How many requests are waiting. */
  get waiting(): number {
    return this.#turns;
  }

  /**
   * Builds something for a request that may have waited: once for all who want the same of the same
   * data, and with the time that any request has for the database.
   */
  build<Result>(request: Request, key: string, work: () => Promise<Result>): Promise<Result> {
    const { dataVersion, buildLimit } = this.parts;
    const build = () => buildLimit.build(undefined, work);
    return answerCaller(
      request,
      () => this.#building.run(`${dataVersion.current} ${key}`, build) as Promise<Result>,
    );
  }

  /** Remembers, until there is newer data, that an answer held no news. */
  remember(version: number, key: string, answer: NonNullable<unknown>): void {
    this.#withoutNews.set(`${version} ${key}`, answer);
  }

  /** The answer without news that is still right as far as this process knows. */
  recall<Answer>(key: string): Answer | undefined {
    return this.#withoutNews.get(`${this.parts.dataVersion.current} ${key}`) as Answer | undefined;
  }

  /** Takes a turn; null: too many wait already. When the server stops, no turn takes any time. */
  enter(seconds: number, signal: AbortSignal): Turn | null {
    if (this.#turns >= MOST_WAITING) return null;
    this.#turns++;
    const until = performance.now() + seconds * 1000;
    return {
      untilNewer: (version) => this.#wait(version, until, signal),
      [Symbol.dispose]: () => void this.#turns--,
    };
  }

  /** Has everybody answered at once, now and from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of this.#wakes) wake();
  }

  async #wait(version: number, until: number, signal: AbortSignal): Promise<boolean> {
    const isNewer = () => this.parts.dataVersion.current > version;
    const woken = Promise.withResolvers<void>();
    const timer = setTimeout(woken.resolve, until - performance.now());
    const leave = () => woken.reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    this.#wakes.add(woken.resolve);
    if (signal.aborted) leave();
    if (isNewer() || this.#isStopped) woken.resolve();
    try {
      await woken.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      this.#wakes.delete(woken.resolve);
    }
    return isNewer() && !this.#isStopped && performance.now() < until;
  }
}
