import { type Connection, type Database, DatabaseAway, DatabaseBusy } from "../database.ts";
import {
  type MakeClient,
  PostgresClient,
  type PostgresOptions,
  type Prepares,
} from "./postgres_client.ts";
import { type ExplainAway, explainError, isAnswer } from "./postgres_errors.ts";
import { PostgresPool } from "./postgres_pool.ts";
import { Watch } from "./watch.ts";

/** Jobs rarely need more than one connection; none of their transactions is idle for so long. */
const JOB_IDLE_SECONDS = 60;
/** Abandoned job connections close when their statement ends, or after this time. */
const GIVE_UP_SECONDS = 20;
const PROBE_MS = 1_000;
const INSPECT_MS = 500;
/** The pause before listening again on a connection that has ended. */
const LISTEN_MS = 1_000;

/** The options of connections, by what they are for. */
export type AcceptedOptions = Record<"forRequests" | "forJobs" | "forOthers", PostgresOptions>;

interface Target {
  readonly kind: "postgres" | "embedded";
  readonly client: MakeClient;
  readonly options: AcceptedOptions;
  /** How many connections there are for requests and for jobs, per process. */
  readonly connections: { readonly requests: number; readonly jobs: number };
  readonly prepares: Prepares;
  readonly away: ExplainAway;
}

/** The database that a client of postgres.js leads to. */
export function databaseOn(target: Target): Database & Pick<PostgresConnections, "listenAgain"> {
  const connections = new PostgresConnections(target);
  return {
    kind: target.kind,
    query(statement, caller) {
      const pool = caller?.signal ? connections.requests : connections.jobs;
      const work = pool.run((client) => client.query(statement, caller?.signal), caller);
      return connections.guard(work) as Promise<never>;
    },
    async script(text) {
      await connections.guard(connections.jobs.run((client) => client.script(text)));
    },
    transaction(work, caller) {
      if (!caller?.signal) return connections.begin(work);
      return connections.guard(
        connections.requests.run((client) => client.transaction(work, caller.signal), caller),
      );
    },
    inspect: (read) => connections.inspect(read),
    listen: (channel, onMessage, onDoubt) => connections.listen(channel, onMessage, onDoubt),
    listenAgain: () => connections.listenAgain(),
    close: () => connections.end(),
  };
}

/**
 * The connections to a PostgreSQL server. Requests, jobs and health checks have separate ones, so
 * none of them waits for the others.
 */
class PostgresConnections {
  readonly requests: PostgresPool;
  readonly jobs: PostgresPool;
  readonly #control: PostgresPool;
  readonly #heard: {
    channel: string;
    onMessage: (payload: string) => void;
    onDoubt: () => void;
  }[] = [];
  #listening: ReturnType<MakeClient> | undefined;
  #listenTimer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;
  /** Null: the server is a thread of this process, or of another one on this machine. */
  readonly #watch: Watch | null;
  /** Why the server is away; null: it has answered since. */
  #away: DatabaseAway | null = null;
  readonly #onDisconnect: (() => void)[] = [];

  constructor(private readonly target: Target) {
    const { client, connections, prepares } = target;
    const { forRequests, forJobs, forOthers } = target.options;
    const onclose = () => this.#onDisconnect.forEach((listener) => listener());
    const poolOf = (options: PostgresOptions, connections: number) =>
      new PostgresPool(() => new PostgresClient(client, { ...options, prepares }), connections);
    this.requests = poolOf({ ...forRequests, onclose }, connections.requests);
    const idle_timeout = JOB_IDLE_SECONDS;
    this.jobs = poolOf({ ...forJobs, onclose, idle_timeout }, connections.jobs);
    // It connects again within the limit of a health check.
    this.#control = poolOf({ ...forOthers, fetch_types: false, backoff: () => 0.1 }, 1);
    this.#watch = target.kind === "postgres"
      ? new Watch(() => this.#probe(), isAnswer, () => this.#replaceAll())
      : null;
  }

  /** Settles as the answer does, or fails within 2 s if the server is gone. */
  guard<Result>(answer: PromiseLike<Result>): Promise<Result> {
    const guarded = this.#watch?.guard(answer) ?? Promise.resolve(answer);
    return guarded.then((result) => {
      this.#away = null;
      return result;
    }, (error) => this.#fail(error));
  }

  #fail(cause: unknown): never {
    const error = explainError(cause, this.target.away);
    if (error instanceof DatabaseAway) this.#away = error;
    else if (isAnswer(cause)) this.#away = null;
    throw error;
  }

  /** Runs a job's transaction, which has no time limit once it has begun: it ends with its connection. */
  async begin<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    const hasBegun = Promise.withResolvers<void>();
    const done = this.jobs.run((client) => client.transaction(work, undefined, hasBegun.resolve));
    done.catch(() => {});
    await this.guard(Promise.race([hasBegun.promise, done]));
    return await done.catch((error) => this.#fail(error));
  }

  /** Reads on the connection for health checks. */
  async inspect<Result>(read: (connection: Connection) => Promise<Result>): Promise<Result> {
    const signal = AbortSignal.timeout(INSPECT_MS);
    const readSoon = async (connection: Connection) => {
      // A statement that waits for a lock fails before our own timeout, which shows that the server
      // is there.
      await connection.script(`set local statement_timeout = ${INSPECT_MS - 100}`);
      return await read(connection);
    };
    const readOnce = () =>
      this.guard(this.#control.run((client) => client.transaction(readSoon, signal), { signal }));
    try {
      // A server that was restarted has closed the connection: that alone does not say it is away.
      return await readOnce().catch((error) => {
        if (error instanceof DatabaseAway) return readOnce();
        throw error;
      });
    } catch (error) {
      if (error !== signal.reason) throw error;
      throw this.#away ?? new DatabaseBusy("No answer in time");
    }
  }

  /** All that listen share one connection, which is opened again when it ends. */
  async listen(
    channel: string,
    onMessage: (payload: string) => void,
    onDoubt: () => void,
  ): Promise<void> {
    this.#onDisconnect.push(onDoubt);
    this.#heard.push({ channel, onMessage, onDoubt });
    this.#listening ??= this.#openListening();
    await this.#listening.unsafe(`listen ${channel}`);
    onDoubt();
  }

  #openListening(): ReturnType<MakeClient> {
    const options = {
      ...this.target.options.forOthers,
      max: 1,
      max_lifetime: null,
      fetch_types: false,
      onnotify: (channel: string, payload: string) => {
        for (const heard of this.#heard) if (heard.channel === channel) heard.onMessage(payload);
      },
      onclose: () => this.#listenSoon(),
    };
    return this.target.client(options);
  }

  /** postgres.js 3.4.9 can listen by itself, but gives up if the server is not back at once. */
  #listenSoon(): void {
    clearTimeout(this.#listenTimer);
    if (this.#isEnded) return;
    this.#listenTimer = setTimeout(() => this.listenAgain(), LISTEN_MS);
  }

  /** Listens again after the connection has ended; if that fails, it is repeated. */
  async listenAgain(): Promise<void> {
    try {
      for (const channel of new Set(this.#heard.map(({ channel }) => channel))) {
        await this.#listening!.unsafe(`listen ${channel}`);
      }
      for (const { onDoubt } of this.#heard) onDoubt();
    } catch {
      this.#listenSoon();
    }
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#listenTimer);
    this.#onDisconnect.length = 0;
    await Promise.all([
      this.requests.end(1),
      this.jobs.end(5),
      this.#control.end(1),
      this.#listening?.end({ timeout: 1 }),
    ]);
  }

  async #probe(): Promise<void> {
    const signal = AbortSignal.timeout(PROBE_MS);
    await this.#control.run((client) => client.script("select 1", signal), { signal });
    this.#away = null;
  }

  /** A hanging connection may hang for minutes after the server is back. */
  #replaceAll(): Error {
    const error = this.#away = this.target.away("no answer");
    this.requests.reset(error, 0);
    this.#control.reset(error, 0);
    this.jobs.reset(error, GIVE_UP_SECONDS);
    return error;
  }
}
