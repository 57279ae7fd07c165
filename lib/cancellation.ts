import { AsyncLocalStorage } from "node:async_hooks";

/** The caller that work is done for. Absent: a background job, which nobody can cancel. */
export interface Caller {
  /** Aborted when the caller has disconnected or timed out. */
  readonly signal: AbortSignal | undefined;
}

const callers = new AsyncLocalStorage<Caller | undefined>();

/** The signal that cancels the current work; undefined for a job, which is not cancelled. */
export function currentSignal(): AbortSignal | undefined {
  return callers.getStore()?.signal;
}

/** Does work for a caller: its database statements are cancelled by the caller's signal. */
export function workFor<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Does work that continues after the request that started it. */
export function workDetached<Result>(work: () => Result): Result {
  return callers.run(undefined, work);
}

const CALLBACKS = Symbol("callbacks");

/** A WeakMap of signals would cost more: garbage collection goes through all of it. */
interface ListenedSignal extends AbortSignal {
  [CALLBACKS]?: Set<() => void>;
}

/**
 * Calls back when the signal is aborted, at once if it is already; the returned function ends that.
 * All callbacks of a signal share one event listener, because these are expensive.
 */
export function whenAborted(signal: ListenedSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const callbacks = signal[CALLBACKS] ??= listenOnce(signal);
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
}

function listenOnce(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  const callAll = () => callbacks.forEach((callback) => callback());
  signal.addEventListener("abort", callAll, { once: true });
  return callbacks;
}

/** Settles as the work does, or fails as soon as the signal is aborted; the work then continues. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = whenAborted(signal, () => reject(signal.reason));
    work.then(
      (result) => (stop(), resolve(result)),
      (error) => (stop(), reject(error)),
    );
  });
}
