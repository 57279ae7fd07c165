import { setImmediate } from "node:timers/promises";
import { currentCaller } from "../../work/async.ts";
import { FairSemaphore } from "../../work/fair_semaphore.ts";
import { Problem } from "../responses/problem.ts";
import { said } from "../../text/said.ts";

/**
 * How many responses are built at one time. None is larger than some 4 MB, and each takes several
 * times its size while it is built or compressed.
 */
const AT_ONCE = { capacity: 10, share: 3, reserve: 2 };
/** A longer queue would serve clients that have given up; each waits until its request ends. */
const MAX_WAITING = 500;
/** The longest time in which one build may follow the other before other requests have a turn. */
const MAX_TURN_MS = 10;

/** Where the building of a response begins: for clients in turn, and a bounded number at one time. */
export class Gate {
  #yieldedAt = -Infinity;
  readonly #turns: FairSemaphore;

  constructor(atOnce = AT_ONCE) {
    this.#turns = new FairSemaphore({ ...atOnce, maxWaiting: MAX_WAITING, busy });
  }

  /** Whether there is no place but those for clients that hold few. */
  get isFull(): boolean {
    return this.#turns.isFull;
  }

  /**
   * Does the work as soon as it is the turn of the current caller.
   *
   * @throws {Problem} 503 if too many wait
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.acquire(currentCaller());
    const release = await turn;
    try {
      if (turn instanceof Promise) await this.#yield();
      return await work();
    } finally {
      release();
    }
  }

  /** Builds that end without a turn of the event loop would keep all other requests waiting. */
  async #yield(): Promise<void> {
    if (performance.now() - this.#yieldedAt < MAX_TURN_MS) return;
    await setImmediate();
    this.#yieldedAt = performance.now();
  }
}

function busy(): Problem {
  return new Problem(503, said("problem.busy"), {
    headers: { "Retry-After": "5" },
  });
}
