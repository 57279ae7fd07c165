import { AsyncLocalStorage } from "node:async_hooks";

/** Who work is done for. Without a signal it is a background job, which nobody cancels. */
export interface Caller {
  /** Aborted when the caller has disconnected or timed out. */
  readonly signal?: AbortSignal | undefined;
  /** In whose turn it comes; absent: that of all work without a client. */
  readonly client?: string | undefined;
}

const callers = new AsyncLocalStorage<() => Caller>();

/** Who the current work is done for; its time limit begins when this is first asked. */
export function currentCaller(): Caller {
  return callers.getStore()?.() ?? {};
}

/** Does work for a caller, who can cancel it. */
export function workFor<Result>(caller: () => Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Calls back when the signal is aborted, at once if it is already; the returned function ends that. */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  else signal.addEventListener("abort", callback, { once: true });
  return () => signal.removeEventListener("abort", callback);
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
