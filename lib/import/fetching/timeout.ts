const SILENCE_MS = 10_000;
/** The total time that a source may keep us waiting, over all of its pages. */
const WHOLE_MS = 15 * 60_000;

/** The timeouts of a source. */
export interface TimeoutOptions {
  silenceMs?: number;
  wholeMs?: number;
  signal?: AbortSignal;
}

/** Waits for one source, page after page; our own processing time does not count. */
export class Timeout {
  /** Aborted, with the reason, when the source has taken too long. */
  readonly signal: AbortSignal;
  readonly #ending = new AbortController();
  readonly #silenceMs: number;
  readonly #wholeMs: number;
  #leftMs: number;

  constructor({ silenceMs = SILENCE_MS, wholeMs = WHOLE_MS, signal }: TimeoutOptions) {
    this.signal = signal ? AbortSignal.any([this.#ending.signal, signal]) : this.#ending.signal;
    this.#silenceMs = silenceMs;
    this.#wholeMs = this.#leftMs = wholeMs;
  }

  /** Waits for the next data of the source; `work` must obey the signal. */
  waitFor<Result>(work: Promise<Result>): Promise<Result> {
    return this.#wait(work, this.#silenceMs);
  }

  /** Waits as long as the source has asked for. */
  waitThrough(pause: Promise<void>): Promise<void> {
    return this.#wait(pause, Infinity);
  }

  async #wait<Result>(work: Promise<Result>, silenceMs: number): Promise<Result> {
    const started = performance.now();
    const reason = silenceMs < this.#leftMs
      ? `it sent nothing for ${silenceMs / 1000} s`
      : `it took more than ${this.#wholeMs / 60_000} minutes`;
    const giveUp = () => this.#ending.abort(new Error(reason));
    const timer = setTimeout(giveUp, Math.max(0, Math.min(silenceMs, this.#leftMs)));
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      this.#leftMs -= performance.now() - started;
    }
  }
}
