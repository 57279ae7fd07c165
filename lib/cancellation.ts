import { AsyncLocalStorage } from "node:async_hooks";

/** The caller that work is done for. Absent: a background job, which nobody can cancel. */
export interface Caller {
  /** Aborted when the caller has disconnected or timed out. */
  readonly signal: AbortSignal | undefined;
  /** It only reads the roadmap, which may come from a replica of the database. */
  readonly acceptsReplica?: boolean;
}

const callers = new AsyncLocalStorage<Caller | undefined>();

/** The signal that cancels the current work; undefined for a job, which is not cancelled. */
export function currentSignal(): AbortSignal | undefined {
  return callers.getStore()?.signal;
}

/** Tells whether the current work may read from a replica of the database. */
export function acceptsReplica(): boolean {
  return callers.getStore()?.acceptsReplica ?? false;
}

/** Does work for a caller: its database statements are cancelled by the caller's signal. */
export function workFor<Result>(caller: Caller, work: () => Result): Result {
  return callers.run(caller, work);
}

/** Does work that continues after the request that started it. */
export function workDetached<Result>(work: () => Result): Result {
  return callers.run(undefined, work);
}

/** Settles as the work does, or fails as soon as the signal is aborted; the work then continues. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
