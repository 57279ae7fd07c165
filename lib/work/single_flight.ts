import { type Caller, Cancellation, currentCaller, whenAborted, workFor } from "./cancellation.ts";

/** Who joins for a job. */
const JOB: Caller = { signal: undefined };

interface Flight<Result> {
  readonly done: Promise<Result>;
  readonly cancellation: Cancellation;
  readonly callers: Set<Caller>;
}

/** Lets concurrent callers share one piece of work. It is cancelled when all of them have left. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result>>();

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#join(key, this.#flights.get(key) ?? this.#start(key, work));
  }

  #start(key: string, work: () => Promise<Result>): Flight<Result> {
    const cancellation = new Cancellation();
    const callers = new Set([currentCaller() ?? JOB]);
    const caller = {
      signal: currentCaller()?.signal && cancellation,
      get clients() {
        return clientsOf(callers);
      },
    };
    const flight = { done: workFor(caller, work), cancellation, callers };
    this.#flights.set(key, flight);
    const forget = () => this.#forget(key, flight);
    flight.done.then(forget, forget);
    return flight;
  }

  /** Settles as the work does, or fails as soon as the caller leaves. */
  #join(key: string, flight: Flight<Result>): Promise<Result> {
    const caller = currentCaller() ?? JOB;
    const { signal } = caller;
    flight.callers.add(caller);
    if (!signal) return flight.done;
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        flight.callers.delete(caller);
        if (flight.callers.size > 0) return;
        this.#forget(key, flight);
        flight.cancellation.abort(signal.reason);
      };
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

/** All clients that want the same, also those who joined others for it. */
function clientsOf(callers: ReadonlySet<Caller>): readonly string[] {
  const [first] = callers;
  if (callers.size === 1) return first!.clients ?? [];
  return [...new Set([...callers].flatMap(({ clients = [] }) => clients))];
}
