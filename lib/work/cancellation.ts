import { AsyncLocalStorage } from "node:async_hooks";

/** The caller that work is done for. Absent: a background job, which no caller can cancel. */
export interface Caller {
  /** Aborted when the caller has disconnected or timed out. */
  readonly signal: Signal | undefined;
  /** The clients that want it, in whose turn it comes; none for work that no client requested. */
  readonly clients?: readonly string[];
}

/** What cancels work: a `Cancellation`, or an AbortSignal. */
export interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void, options: { once: true }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** An AbortController and its signal in one, without events: these cost a request too much. */
export class Cancellation implements Signal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners) listener();
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(_: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

const callers = new AsyncLocalStorage<Caller>();

/** The caller of the current work; undefined for a job. */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}

/** Does work for a caller, who can cancel it. */
export function workFor<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Calls back when the signal is aborted, at once if it is already; the returned function ends that. */
export function whenAborted(signal: Signal, callback: () => void): () => void {
  if (signal.aborted) callback();
  else signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
}

/** Settles as the work does, or fails as soon as the signal is aborted; the work then continues. */
export function untilAborted<Result>(work: Promise<Result>, signal: Signal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = whenAborted(signal, () => reject(signal.reason));
    work.then(
      (result) => (stop(), resolve(result)),
      (error) => (stop(), reject(error)),
    );
  });
}
