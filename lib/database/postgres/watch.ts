import { setTimeout as delay } from "node:timers/promises";

/** After waiting this long for work we check whether the server is still there. */
const TIMEOUT_MS = 500;
const TICK_MS = 100;
/**
 * The server is gone if it does not answer within this many ticks, each a turn of the event loop.
 */
const PROBE_TICKS = 9;

/**
 * Waits for slow work, but not for a server that is gone: a hanging connection alone proves
 * nothing, so a probe is sent over another one.
 */
export class Watch {
  readonly #waiting = new Map<(error: Error) => void, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isProbing = false;
  /** The time of the last answer of any kind: a server that is slow with one query is not gone. */
  #heardAt = 0;

  /**
   * @param probe resolves as soon as the server answers anything
   * @param isAnswer whether an error came from the server itself
   * @param onGone makes the error for all waiting work, and cleans up
   */
  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly isAnswer: (error: unknown) => boolean,
    private readonly onGone: () => Error,
  ) {}

  /** Settles as the work does, or fails within 2 s if the server is gone. */
  async guard<Result>(work: PromiseLike<Result>): Promise<Result> {
    const { promise: gone, reject } = Promise.withResolvers<never>();
    this.#waiting.set(reject, performance.now());
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
    try {
      const result = await Promise.race([work, gone]);
      this.#hear();
      return result;
    } catch (error) {
      if (this.isAnswer(error)) this.#hear();
      throw error;
    } finally {
      this.#waiting.delete(reject);
    }
  }

  #hear(): void {
    this.#heardAt = performance.now();
  }

  async #tick(): Promise<void> {
    const [oldest] = this.#waiting.values();
    if (oldest === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const silence = performance.now() - Math.max(oldest, this.#heardAt);
    if (this.#isProbing || silence < TIMEOUT_MS) return;
    this.#isProbing = true;
    const isThere = await this.#answers();
    this.#isProbing = false;
    if (isThere) return this.#hear();
    const error = this.onGone();
    for (const reject of this.#waiting.keys()) reject(error);
    this.#waiting.clear();
  }

  /**
   * Counts turns of the event loop instead of time: this process may be the slow one. A probe that
   * cannot connect is repeated, since only its own connection may have failed.
   */
  async #answers(): Promise<boolean> {
    const probedAt = performance.now();
    const ask = () => this.probe().then(() => true, this.isAnswer);
    let answer = ask();
    for (let tick = 0; tick < PROBE_TICKS; tick++) {
      const said = await Promise.race([answer, delay(TICK_MS)]);
      if (said || this.#heardAt > probedAt) return true;
      if (said === false) {
        await delay(TICK_MS);
        answer = ask();
      }
    }
    return false;
  }
}
