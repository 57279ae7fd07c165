import { AsyncLocalStorage } from "node:async_hooks";

/** Whoever work is done for. Absent: nobody who could leave, a job in the background. */
export interface Caller {
  /** Aborted when the caller has left, or has waited long enough. */
  readonly signal: AbortSignal | undefined;
}

const callers = new AsyncLocalStorage<Caller | undefined>();

/** The signal that ends the work being done here; undefined: a job, which goes on. */
export function currentSignal(): AbortSignal | undefined {
  return callers.getStore()?.signal;
}

/** Does work for a caller: all that it asks of the database ends with the caller's signal. */
export function workFor<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Does work that goes on when the request that gave rise to it has ended. */
export function workDetached<Result>(work: () => Result): Result {
  return callers.run(undefined, work);
}

/** Settles as the work does, or fails at once when the signal is aborted; the work goes on then. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
