import { acceptsReplica, currentSignal, workFor } from "./cancellation.ts";

interface Flight<Result> {
  readonly done: Promise<Result>;
  readonly controller: AbortController;
  callers: number;
}

/** Lets concurrent callers share one piece of work. It is cancelled when all of them have left. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  /** @param work whether it may read from a replica of the database, whoever wants it */
  constructor(private readonly work: { readonly acceptsReplica?: boolean } = {}) {}

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#join(key, this.#flights.get(key) ?? this.#start(key, work));
  }

  #start(key: string, work: () => Promise<Result>): Flight<Result> {
    const controller = new AbortController();
    const caller = {
      signal: currentSignal() && controller.signal,
      acceptsReplica: this.work.acceptsReplica ?? acceptsReplica(),
    };
    const done = workFor(caller, work).finally(() => this.#forget(key, flight));
    const flight: Flight<Result> = { done, controller, callers: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  /** Settles as the work does, or fails as soon as the caller leaves. */
  #join(key: string, flight: Flight<Result>): Promise<Result> {
    const signal = currentSignal();
    if (!signal) {
      flight.callers++;
      return flight.done;
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        if (--flight.callers > 0) return;
        this.#forget(key, flight);
        flight.controller.abort(signal.reason);
      };
      flight.callers++;
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
      flight.done.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    });
  }

  #forget(key: string, flight: Flight<Result>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
