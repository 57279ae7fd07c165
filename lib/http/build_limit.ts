import { setImmediate } from "node:timers/promises";
import { currentCaller } from "../work/cancellation.ts";
import { FairSemaphore } from "../work/fair_semaphore.ts";
import { Problem } from "./problem.ts";

const MEGABYTE = 1024 * 1024;
/** The total size of the bodies being built at one time, in bytes: for one client, and for all. */
const MAX_BYTES_OF_CLIENT = 32 * MEGABYTE;
const MAX_BYTES = 40 * MEGABYTE;
/** The assumed size of a response without a limit of its own. */
const MAX_ANSWER_BYTES = 4 * MEGABYTE;
/** The limits of the queue: by then a longer wait would serve clients that have given up. */
const MAX_WAITING = 500;
const TIMEOUT_MS = 20_000;
/** The longest time in which one build may follow the other before other requests have a turn. */
const MAX_TURN_MS = 10;

/**
 * Bounds the memory of responses being built, and builds for clients in turn. A body takes several
 * times its size while it is built or compressed.
 */
export class BuildLimit {
  #yieldedAt = -Infinity;
  readonly #room = new FairSemaphore({
    capacity: MAX_BYTES,
    capacityOfClient: MAX_BYTES_OF_CLIENT,
    capacityAlone: MAX_BYTES_OF_CLIENT,
    maxWaiting: MAX_WAITING,
    timeoutMs: TIMEOUT_MS,
    busy,
  });

  /**
   * Builds as soon as there is room for a body of this many bytes.
   *
   * @throws {Problem} 503 if too many wait, or there is no room in time
   */
  build<Result>(bytes = MAX_ANSWER_BYTES, work: () => Promise<Result>): Promise<Result> {
    return this.#run(bytes, work, { isAhead: false });
  }

  /** Finishes the work on a body that is built, before another one is started. */
  finish<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    return this.#run(bytes, work, { isAhead: true });
  }

  async #run<Result>(
    bytes: number,
    work: () => Promise<Result>,
    { isAhead }: { isAhead: boolean },
  ): Promise<Result> {
    const room = this.#room.acquire(currentCaller(), bytes, { isAhead });
    const release = await room;
    try {
      if (room instanceof Promise) await this.#yield();
      return await work();
    } finally {
      release();
    }
  }

  /** What is built from memory takes no turn of the event loop, which other requests wait for. */
  async #yield(): Promise<void> {
    if (performance.now() - this.#yieldedAt < MAX_TURN_MS) return;
    await setImmediate();
    this.#yieldedAt = performance.now();
  }
}

function busy(): Problem {
  return new Problem(503, "The server is too busy, try again in a few seconds", {
    headers: { "Retry-After": "5" },
  });
}
