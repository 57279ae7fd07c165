/** The system clock. It is injected wherever the current day matters; tests use another one. */
export const systemClock = (): Date => new Date();

/**
 * Ends waits that take too long. One timer serves all of them: each may take the same time, so the
 * oldest ends first.
 */
export class TimeLimit {
  readonly #begun = new Map<() => void, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly milliseconds: number) {}

  /** Calls back when the time is over; the returned function ends the wait before. */
  begin(onTimeout: () => void): () => void {
    this.#begun.set(onTimeout, performance.now());
    this.#timer ??= this.#schedule(this.milliseconds);
    return () => void this.#begun.delete(onTimeout);
  }

  #schedule(milliseconds: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => this.#end(), milliseconds);
    // What is not awaited any longer must not keep the process running.
    Deno.unrefTimer(timer);
    return timer;
  }

  #end(): void {
    const now = performance.now();
    try {
      for (const [onTimeout, begun] of this.#begun) {
        if (begun + this.milliseconds > now) break;
        this.#begun.delete(onTimeout);
        onTimeout();
      }
    } finally {
      const [oldest] = this.#begun.values();
      this.#timer = oldest === undefined
        ? undefined
        : this.#schedule(oldest + this.milliseconds - now);
    }
  }
}
