import {
  acceptsReplica,
  Cancellation,
  currentSignal,
  whenAborted,
  workFor,
} from "./cancellation.ts";

interface Flight<Result> {
  readonly done: Promise<Result>;
  readonly cancellation: Cancellation;
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
    const cancellation = new Cancellation();
    const caller = {
      signal: currentSignal() && cancellation,
      acceptsReplica: this.work.acceptsReplica ?? acceptsReplica(),
    };
    const flight: Flight<Result> = { done: workFor(caller, work), cancellation, callers: 0 };
    this.#flights.set(key, flight);
    const forget = () => this.#forget(key, flight);
    flight.done.then(forget, forget);
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
        flight.cancellation.abort(signal.reason);
      };
      flight.callers++;
      const stop = whenAborted(signal, leave);
      flight.done.then(
        (result) => (stop(), resolve(result)),
        (error) => (stop(), reject(error)),
      );
    });
  }

  #forget(key: string, flight: Flight<Result>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
