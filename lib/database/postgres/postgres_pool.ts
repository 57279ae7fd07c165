import { type Caller, untilAborted } from "../../work/cancellation.ts";
import { Pool } from "../pool.ts";
import { PostgresClient } from "./postgres_client.ts";

/** Connections to a PostgreSQL server, each lent to one piece of work that can be cancelled. */
export class PostgresPool {
  readonly #pool: Pool<PostgresClient>;
  #clients: Set<PostgresClient>;

  /** @param waiting how many may wait for a connection */
  constructor(
    private readonly connect: () => PostgresClient,
    private readonly bounds: { connections: number; waiting: number },
  ) {
    this.#clients = this.#connectAll();
    this.#pool = new Pool([...this.#clients], bounds.waiting);
  }

  /**
   * Does the work on a connection of its own; without a caller, for a job, it waits for one without
   * a limit.
   *
   * @throws {DatabaseBusy} if too many wait; the signal's reason as soon as it is aborted, while
   *   the server is asked to cancel the statement
   */
  async run<Result>(
    work: (client: PostgresClient) => Promise<Result>,
    caller?: Caller,
  ): Promise<Result> {
    const signal = caller?.signal;
    const client = await this.#pool.take(caller);
    const done = this.#lend(client, work);
    return await (signal ? untilAborted(done, signal) : done);
  }

  async #lend<Result>(
    client: PostgresClient,
    work: (client: PostgresClient) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await work(client);
    } finally {
      this.#giveBack(client);
    }
  }

  /** Replaces all connections; waiting work fails, and running work after so many seconds. */
  reset(error: Error, seconds: number): void {
    const former = this.#clients;
    this.#clients = this.#connectAll();
    this.#pool.reset([...this.#clients], error);
    for (const client of former) client.end(seconds);
  }

  /** Lets running work finish, for this many seconds at most. */
  async end(seconds: number): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.end(seconds)));
  }

  #giveBack(client: PostgresClient): void {
    if (!this.#clients.has(client)) return;
    if (!client.isLost) return this.#pool.give(client);
    this.#clients.delete(client);
    const other = this.connect();
    this.#clients.add(other);
    this.#pool.give(client, other);
  }

  #connectAll(): Set<PostgresClient> {
    return new Set(Array.from({ length: this.bounds.connections }, this.connect));
  }
}
