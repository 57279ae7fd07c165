import { setImmediate } from "node:timers/promises";
import { currentSignal } from "../cancellation.ts";
import { Problem } from "./problem.ts";

/** What is built at one time takes no more than this together, in bytes of the bodies. */
const MAX_BYTES = 32 * 1024 * 1024;
/** What counts for an answer that may be as large as any. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** So many wait for room, and so long; more would only wait for a client that has given up. */
const MAX_WAITING = 500;
const PATIENCE_MS = 20_000;

interface Waiting {
  readonly bytes: number;
  enter(): void;
}

/**
 * Bounds the memory of answers that are being built: a semaphore weighted by bytes, first come,
 * first served. A body takes several times its size while it is put together or compressed.
 */
export class BuildLimit {
  #taken = 0;
  readonly #waiting: Waiting[] = [];

  /**
   * Builds as soon as there is room for a body of so many bytes.
   *
   * @throws {Problem} 503 where too many wait already, or room does not come in time
   */
  async build<Result>(bytes = MAX_ANSWER_BYTES, work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= MAX_WAITING) throw busy();
    return await this.#run(bytes, work, { isAhead: false });
  }

  /** Does the rest of the work on a body that is built: before any other is begun. */
  async finish<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    return await this.#run(bytes, work, { isAhead: true });
  }

  async #run<Result>(
    wanted: number,
    work: () => Promise<Result>,
    { isAhead }: { isAhead: boolean },
  ): Promise<Result> {
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
    const timer = setTimeout(() => leave(busy()), PATIENCE_MS);
    const signal = currentSignal();
    const giveUp = () => leave(signal!.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    });
    // The embedded database answers without a turn of the event loop; others have a turn here.
    await setImmediate();
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
