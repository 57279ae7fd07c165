import { type Caller, untilAborted } from "../../work/async.ts";
import { FairSemaphore } from "../../work/fair_semaphore.ts";
import { DatabaseBusy } from "../database.ts";
import type { PostgresClient } from "./postgres_client.ts";

/** At most this many requests wait for the database in one process. */
const MAX_WAITING = 500;
/**
 * Half of a request's time limit: one that waited longer would hardly be served in time, and under
 * sustained load none would.
 */
const MAX_WAIT_MS = 5_000;

/** The connections that are replaced together, and whose turn it is to have one. */
interface Generation {
  readonly all: Set<PostgresClient>;
  readonly free: PostgresClient[];
  readonly turns: FairSemaphore;
}

/**
 * Connections to a PostgreSQL server, each lent to one piece of work that can be cancelled. The
 * others wait in a bounded queue, which serves clients in turn, and none gets the last connection
 * beyond a third of them.
 */
export class PostgresPool {
  #current: Generation;

  constructor(private readonly connect: () => PostgresClient, private readonly size: number) {
    this.#current = this.#begin();
  }

  /**
   * Does the work on a connection of its own; without a caller, for a job, it waits for one without
   * a limit.
   *
   * @throws {DatabaseBusy} if too many wait, or after 5 s; the signal's reason as soon as it is
   *   aborted, while the server is asked to cancel the statement
   */
  async run<Result>(
    work: (client: PostgresClient) => Promise<Result>,
    caller: Caller = {},
  ): Promise<Result> {
    const generation = this.#current;
    const release = await generation.turns.acquire(caller);
    const done = this.#lend(generation, work).finally(release);
    return await (caller.signal ? untilAborted(done, caller.signal) : done);
  }

  async #lend<Result>(
    { all, free }: Generation,
    work: (client: PostgresClient) => Promise<Result>,
  ): Promise<Result> {
    // The most recently returned one has the warmest caches.
    let client = free.pop()!;
    try {
      return await work(client);
    } finally {
      if (client.isLost) {
        all.delete(client);
        all.add(client = this.connect());
      }
      free.push(client);
    }
  }

  /** Replaces all connections; waiting work fails, and running work after so many seconds. */
  reset(error: Error, seconds: number): void {
    const former = this.#current;
    this.#current = this.#begin();
    former.turns.failAll(error);
    for (const client of former.all) client.end(seconds);
  }

  /** Lets running work finish, for this many seconds at most. */
  async end(seconds: number): Promise<void> {
    await Promise.all([...this.#current.all].map((client) => client.end(seconds)));
  }

  #begin(): Generation {
    const free = Array.from({ length: this.size }, this.connect);
    const turns = new FairSemaphore({
      capacity: this.size,
      share: Math.ceil(this.size / 3),
      reserve: 1,
      maxWaiting: MAX_WAITING,
      timeoutMs: MAX_WAIT_MS,
      busy: () => new DatabaseBusy("Too many requests are waiting for the database"),
    });
    return { all: new Set(free), free, turns };
  }
}
