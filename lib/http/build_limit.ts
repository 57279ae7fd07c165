import { setImmediate } from "node:timers/promises";
import { currentSignal, whenAborted } from "../work/cancellation.ts";
import { TimeLimit } from "../work/time_limit.ts";
import { Problem } from "./problem.ts";

/** The total size of the bodies being built at one time, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The assumed size of a response without a limit of its own. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The limits of the queue: by then a longer wait would serve clients that have given up. */
const MAX_WAITING = 500;
const PATIENCE_MS = 20_000;
/** The longest time in which one build may follow the other before other requests have a turn. */
const LONGEST_TURN_MS = 10;

interface Waiting {
  readonly bytes: number;
  enter(): void;
}

/**
 * Bounds the memory of responses being built: a semaphore weighted by bytes, first come, first
 * served. A body takes several times its size while it is built or compressed.
 */
export class BuildLimit {
  #taken = 0;
  #yieldedAt = -Infinity;
  readonly #waiting: Waiting[] = [];
  readonly #timeLimit = new TimeLimit(PATIENCE_MS);

  /**
   * Builds as soon as there is room for a body of this many bytes.
   *
   * @throws {Problem} 503 if too many wait already, or there is no room in time
   */
  build<Result>(bytes = MAX_ANSWER_BYTES, work: () => Promise<Result>): Promise<Result> {
    return this.#run(bytes, work, { isAhead: false });
  }

  /** Finishes the work on a body that is built, before another one is started. */
  finish<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    return this.#run(bytes, work, { isAhead: true });
  }

  async #run<Result>(
    wanted: number,
    work: () => Promise<Result>,
    { isAhead }: { isAhead: boolean },
  ): Promise<Result> {
    if (!isAhead && this.#waiting.length >= MAX_WAITING) throw busy();
    const bytes = Math.min(wanted, MAX_BYTES);
    const isNext = isAhead || this.#waiting.length === 0;
    if (isNext && this.#hasRoom(bytes)) this.#taken += bytes;
    else await this.#wait(bytes, isAhead);
    try {
      return await work();
    } finally {
      this.#taken -= bytes;
      this.#admit();
    }
  }

  async #wait(bytes: number, isAhead: boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { bytes, enter: resolve };
    this.#waiting[isAhead ? "unshift" : "push"](waiting);
    const leave = (reason: unknown) => {
      const place = this.#waiting.indexOf(waiting);
      if (place === -1) return;
      this.#waiting.splice(place, 1);
      reject(reason);
      this.#admit();
    };
    const ends = [this.#timeLimit.begin(() => leave(busy()))];
    const signal = currentSignal();
    if (signal) ends.push(whenAborted(signal, () => leave(signal.reason)));
    try {
      await promise;
    } finally {
      for (const end of ends) end();
    }
    await this.#yield();
  }

  /** What is built from memory takes no turn of the event loop, which other requests wait for. */
  async #yield(): Promise<void> {
    if (performance.now() - this.#yieldedAt < LONGEST_TURN_MS) return;
    await setImmediate();
    this.#yieldedAt = performance.now();
  }

  #hasRoom(bytes: number): boolean {
    return this.#taken + bytes <= MAX_BYTES;
  }

  #admit(): void {
    while (this.#waiting[0] && this.#hasRoom(this.#waiting[0].bytes)) {
      const { bytes, enter } = this.#waiting.shift()!;
      this.#taken += bytes;
      enter();
    }
  }
}

function busy(): Problem {
  return new Problem(503, "The server is busy with other requests, try again in a few seconds", {
    headers: { "Retry-After": "5" },
  });
}
