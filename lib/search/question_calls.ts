import {
  BrokenCircuitError,
  bulkhead,
  BulkheadRejectedError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  type IBreaker,
} from "cockatiel";
import { LRUCache } from "lru-cache";
import { EmbeddingError } from "./embedding_error.ts";
import { QuestionRefused } from "./question_refused.ts";

/** Calls at once, and questions that wait for their turn: of one client, and of all of them. */
const OF_CLIENT = { calls: 8, waiting: 24 };
const OF_ALL = { calls: 32, waiting: 96 };
/** A query that waits longer than this is not sent. */
const MAX_WAIT_MS = 3_000;
/** After this many failures in a row the service is not called for this long. */
const FAILURES = 3;
const REST_MS = 30_000;
/** Clients whose calls and failures are remembered. */
const MAX_CLIENTS = 1_000;

/**
 * Limits concurrent calls, and pauses them after failures in a row: for one client after its own,
 * for everyone after those of different clients. So a client with too many queries, or queries that
 * make the service fail, does not affect the others.
 */
export class QuestionCalls {
  readonly #clients = new LRUCache<string, Gate>({ max: MAX_CLIENTS });
  /** The clients whose calls failed since the last success. */
  readonly #failedFor = new Set<string>();
  readonly #all = new Gate(OF_ALL, {
    state: null,
    success: () => this.#failedFor.clear(),
    failure: () => this.#failedFor.size >= FAILURES,
  });

  /**
   * Makes a call for a client; `admit` runs when nothing but itself may still prevent the call.
   *
   * @throws {QuestionRefused} where too many calls run, or the service is left alone
   */
  async run<Answer>(
    client: string,
    { admit, call }: { admit: () => Promise<void>; call: () => Promise<Answer> },
  ): Promise<Answer> {
    const own = this.#gateOf(client);
    const came = performance.now();
    try {
      return await own.enter(() =>
        this.#all.enter(async () => {
          if (performance.now() - came > MAX_WAIT_MS) throw tooManyAtOnce(client);
          if (this.#all.isResting) throw leftAlone(null);
          if (own.isResting) throw leftAlone(client);
          await admit();
          return await own.watch(() => this.#all.watch(() => this.#noteFailure(client, call)));
        })
      );
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw leftAlone(client);
      if (error instanceof BulkheadRejectedError) throw tooManyAtOnce(client);
      throw error;
    }
  }

  #gateOf(client: string): Gate {
    const known = this.#clients.get(client);
    if (known) return known;
    const gate = new Gate(OF_CLIENT, new ConsecutiveBreaker(FAILURES));
    this.#clients.set(client, gate);
    return gate;
  }

  async #noteFailure<Answer>(client: string, call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } catch (error) {
      if (isFailure(error)) this.#failedFor.add(client);
      throw error;
    }
  }
}

/** Limits concurrent calls, and lets none through for a while after failures. */
class Gate {
  readonly #bulkhead;
  readonly #breaker;
  #brokeAt = -Infinity;

  constructor({ calls, waiting }: typeof OF_ALL, breaker: IBreaker) {
    this.#bulkhead = bulkhead(calls, waiting);
    this.#breaker = circuitBreaker(handleWhen(isFailure), { breaker, halfOpenAfter: REST_MS });
    this.#breaker.onBreak(() => this.#brokeAt = Date.now());
  }

  /** After the pause one call tests the service; the others do not wait for its result. */
  get isResting(): boolean {
    const { state } = this.#breaker;
    return state === CircuitState.HalfOpen ||
      state === CircuitState.Open && Date.now() - this.#brokeAt < REST_MS;
  }

  enter<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return this.#bulkhead.execute(work);
  }

  watch<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    return this.#breaker.execute(call);
  }
}

/** A service that rejects a text is working. */
function isFailure(error: unknown): boolean {
  return error instanceof EmbeddingError && !error.refusesInput;
}

function tooManyAtOnce(client: string): QuestionRefused {
  return new QuestionRefused(
    "too_many_at_once",
    `The embedding service gets at most ${OF_CLIENT.calls} queries of a client at once, ` +
      `and ${OF_ALL.calls} of all`,
    client,
  );
}

function leftAlone(client: string | null): QuestionRefused {
  return new QuestionRefused(
    "left_alone",
    `The embedding service failed ${FAILURES} times in a row, next try after ` +
      `${REST_MS / 1000} s`,
    client,
  );
}
