import type { DataVersion } from "../../database/data_version.ts";
import { SingleFlight, whenAborted } from "../../work/async.ts";
import { Places } from "../../work/fair_semaphore.ts";
import type { Gate } from "../clients/gate.ts";
import { answerCaller } from "../clients/request_caller.ts";

/** The most requests that wait at once in a process; once half of them do, ten of one network. */
const WAITING = { capacity: 100, share: 10, reserve: 50 };
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
  readonly #places = new Places(WAITING);
  #isStopped = false;

  constructor(
    private readonly parts: {
      readonly dataVersion: Pick<DataVersion, "current" | "onChange">;
      readonly gate: Gate;
    },
  ) {
    parts.dataVersion.onChange(() => this.#wakeAll());
  }

  get waiting(): number {
    return this.#places.taken;
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
    const leave = this.#places.take(network);
    const hasPlace = leave !== null;
    const until = performance.now() + (hasPlace ? seconds : SECONDS_WITHOUT_PLACE) * 1000;
    return {
      hasPlace,
      untilNewer: (version) => this.#wait(version, until, signal),
      [Symbol.dispose]: () => leave?.(),
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
    const stop = whenAborted(signal, () => woken.reject(signal.reason));
    this.#wakes.add(woken.resolve);
    if (isNewer() || this.#isStopped) woken.resolve();
    try {
      await woken.promise;
    } finally {
      clearTimeout(timer);
      stop();
      this.#wakes.delete(woken.resolve);
    }
    return isNewer() && !this.#isStopped && performance.now() < until;
  }
}
