import type { DataVersion } from "../../database/data_version.ts";
import { SingleFlight } from "../../work/async.ts";
import type { Gate } from "../clients/gate.ts";
import { answerCaller } from "../clients/request_caller.ts";

/** The most requests that wait at once in a process. */
const MAX_WAITING = 100;
/** The most places of one network once half of all are taken. */
const MAX_PER_NETWORK = 10;
/** How long a request without a place waits, so that a client that retries at once does not spin. */
const SECONDS_WITHOUT_PLACE = 1;

/** The turn of one request that waits for new data. */
interface Turn extends Disposable {
  /** False: too many wait already, so this one may wait for a second only. */
  readonly hasPlace: boolean;
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
  readonly #building = new SingleFlight<unknown>();
  /** The networks of those who have a place, with how many. */
  readonly #places = new Map<string, number>();
  #taken = 0;
  #isStopped = false;

  constructor(
    private readonly parts: {
      readonly dataVersion: Pick<DataVersion, "current" | "onChange">;
      readonly gate: Gate;
    },
  ) {
    parts.dataVersion.onChange(() => this.#wakeAll());
  }

  /** How many requests are waiting. */
  get waiting(): number {
    return this.#taken;
  }

  /**
   * Builds something for a request that may have waited: once for all who want the same of the same
   * data, and with the time that any request has for the database.
   */
  build<Result>(
    { request, network }: { request: Request; network: string },
    key: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { dataVersion, gate } = this.parts;
    const build = () => gate.run(work);
    return answerCaller(
      request,
      network,
      () => this.#building.run(`${dataVersion.current} ${key}`, build) as Promise<Result>,
    );
  }

  /** Takes a turn. When the server stops, no turn takes any time. */
  enter(seconds: number, network: string, signal: AbortSignal): Turn {
    const hasPlace = this.#hasPlaceFor(network);
    const until = performance.now() + (hasPlace ? seconds : SECONDS_WITHOUT_PLACE) * 1000;
    if (hasPlace) this.#take(network, 1);
    return {
      hasPlace,
      untilNewer: (version) => this.#wait(version, until, signal),
      [Symbol.dispose]: () => hasPlace && this.#take(network, -1),
    };
  }

  /** Has everybody answered at once, now and from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#wakeAll();
  }

  #hasPlaceFor(network: string): boolean {
    if (this.#taken < MAX_WAITING / 2) return true;
    const ofNetwork = this.#places.get(network) ?? 0;
    return this.#taken < MAX_WAITING && ofNetwork < MAX_PER_NETWORK;
  }

  #take(network: string, count: 1 | -1): void {
    this.#taken += count;
    const places = (this.#places.get(network) ?? 0) + count;
    if (places > 0) this.#places.set(network, places);
    else this.#places.delete(network);
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
