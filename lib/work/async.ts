import { LRUCache } from "lru-cache";
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
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  onAbort = () => {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = whenAborted(signal, () => (reject(signal.reason), onAbort()));
    work.then(
      (result) => (stop(), resolve(result)),
      (error) => (stop(), reject(error)),
    );
  });
}

/** The system clock. It is injected wherever the current day matters; tests use another one. */
export const systemClock = (): Date => new Date();

interface Flight<Result> {
  readonly done: Promise<Result>;
  readonly ending: AbortController;
  readonly callers: Set<Caller>;
}

/** Lets concurrent callers share one piece of work. It is cancelled when all of them have left. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#join(key, this.#flights.get(key) ?? this.#start(key, work));
  }

  #start(key: string, work: () => Promise<Result>): Flight<Result> {
    const ending = new AbortController();
    const { signal, client } = currentCaller();
    const caller = { client, signal: signal && ending.signal };
    const flight = { done: workFor(() => caller, work), ending, callers: new Set<Caller>() };
    this.#flights.set(key, flight);
    const forget = () => this.#forget(key, flight);
    flight.done.then(forget, forget);
    return flight;
  }

  /** Settles as the work does, or fails as soon as the caller leaves. */
  #join(key: string, flight: Flight<Result>): Promise<Result> {
    const caller = currentCaller();
    const { signal } = caller;
    flight.callers.add(caller);
    if (!signal) return flight.done;
    return untilAborted(flight.done, signal, () => {
      flight.callers.delete(caller);
      if (flight.callers.size > 0) return;
      this.#forget(key, flight);
      flight.ending.abort(signal.reason);
    });
  }

  #forget(key: string, flight: Flight<Result>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

/** A bounded cache of values that take time to make; callers that want the same one share the work. */
export class AsyncCache<Value extends NonNullable<unknown>> {
  readonly #values: LRUCache<string, Value>;
  readonly #pending = new SingleFlight<Value>();

  constructor(bounds: LRUCache.Options<string, Value, unknown>) {
    this.#values = new LRUCache(bounds);
  }

  /** @param key names everything that the value depends on */
  async get(key: string, make: () => Promise<Value>): Promise<Value> {
    return this.#values.get(key) ?? await this.#pending.run(key, async () => {
      const value = await make();
      this.#values.set(key, value);
      return value;
    });
  }
}
