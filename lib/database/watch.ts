/** Work that has waited so long makes us ask whether the server is still there. */
const PATIENCE_MS = 500;
const TICK_MS = 100;
/** The server is gone if it does not answer within so many ticks, each a turn of the event loop. */
const PROBE_TICKS = 9;

/**
 * Waits for slow work, but not for a server that is gone: a connection that hangs tells nothing by
 * itself, so a probe over another connection is asked.
 */
export class Watch {
  readonly #waiting = new Map<(error: Error) => void, number>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #isProbing = false;
  #isGone = false;
  /** When anything was answered last: a server that is slow with one question is not gone. */
  #heardAt = 0;

  /**
   * @param probe resolves as soon as the server answers anything
   * @param isAnswer whether an error is one that the server itself told
   * @param onGone makes the error for all that waits, and what else is to be done
   */
  constructor(
    private readonly probe: () => Promise<unknown>,
    private readonly isAnswer: (error: unknown) => boolean,
    private readonly onGone: () => Error,
  ) {}

  /** Nothing was heard of the server since it was found gone. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Settles as the work does, or fails within 2 s when the server is gone. */
  guard<Result>(work: PromiseLike<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(reject, performance.now());
      this.#timer ??= setInterval(() => this.#tick(), TICK_MS);
      work.then(
        (result) => {
          this.#hear();
          this.#leave(reject, () => resolve(result));
        },
        (error) => {
          if (this.isAnswer(error)) this.#hear();
          this.#leave(reject, () => reject(error));
        },
      );
    });
  }

  #hear(): void {
    this.#heardAt = performance.now();
    this.#isGone = false;
  }

  #leave(reject: (error: Error) => void, settle: () => void): void {
    this.#waiting.delete(reject);
    settle();
  }

  async #tick(): Promise<void> {
    const [oldest] = this.#waiting.values();
    if (oldest === undefined) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const silence = performance.now() - Math.max(oldest, this.#heardAt);
    if (this.#isProbing || silence < PATIENCE_MS) return;
    this.#isProbing = true;
    const isThere = await this.#answers();
    this.#isProbing = false;
    if (isThere) return this.#hear();
    this.#isGone = true;
    const error = this.onGone();
    for (const reject of this.#waiting.keys()) reject(error);
    this.#waiting.clear();
  }

  /**
   * Counts turns of the event loop instead of time: this process may be the slow one. A probe that
   * cannot connect is sent again, since it may be the way of the probe alone that was cut.
   */
  async #answers(): Promise<boolean> {
    const asked = performance.now();
    const ask = () => this.probe().then(() => true, this.isAnswer);
    let answer = ask();
    for (let tick = 0; tick < PROBE_TICKS; tick++) {
      const said = await Promise.race([answer, pause(TICK_MS)]);
      if (said || this.#heardAt > asked) return true;
      if (said === false) {
        await pause(TICK_MS);
        answer = ask();
      }
    }
    return false;
  }
}

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds));
}
