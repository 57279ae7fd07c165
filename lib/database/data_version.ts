import { getLogger } from "@logtape/logtape";
import { AsyncCache, systemClock } from "../work/async.ts";
import {
  type Connection,
  type Database,
  DatabaseAway,
  DatabaseBusy,
  noteOutage,
  noteOutageEnd,
  queryOne,
} from "./database.ts";
import { sql } from "./sql.ts";

/** A process notices new data within this time even if no notification reaches it. */
const POLL_MS = 2_000;

const log = getLogger(["roadcast", "data"]);

/** The notification channel for new data versions. */
const DATA_VERSION_CHANNEL = "roadcast_data_version";

/** The number that every import raises if it changed something. */
export async function readDataVersion(connection: Connection): Promise<number> {
  const { data_version } = await queryOne<{ data_version: number }>(
    connection,
    sql`select data_version::int from service_state`,
  );
  return data_version;
}

/** Raises the data version and notifies every process when the transaction is committed. */
export async function raiseDataVersion(connection: Connection): Promise<void> {
  await connection.query(sql`
    with raised as (
      update service_state set data_version = data_version + 1 returning data_version
    )
    select pg_notify(${DATA_VERSION_CHANNEL}, data_version::text) from raised
  `);
}

/** The data version as this process knows it, from notifications and from polling. */
export class DataVersion {
  #version: number;
  #current = 0;
  #isAway = false;
  #isStopped = false;
  readonly #listeners: (() => void)[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #refreshing: Promise<void> | undefined;

  private constructor(
    private readonly database: Database,
    private readonly clock: () => Date,
    version: number,
  ) {
    this.#version = version;
  }

  /** Reads the version and follows it until `stop`. */
  static async follow(database: Database, clock = systemClock): Promise<DataVersion> {
    const followed = new DataVersion(database, clock, await readDataVersion(database));
    const refresh = () => void (followed.#isStopped || followed.refresh());
    database.listen(DATA_VERSION_CHANNEL, (version) => void followed.note(Number(version)), refresh)
      .catch((error) => {
        if (followed.#isStopped) return;
        log.warn("Cannot listen for new data, polling every {seconds} s instead: {error}", {
          seconds: POLL_MS / 1000,
          error: String(error),
        });
      });
    followed.#timer = setInterval(refresh, POLL_MS);
    return followed;
  }

  /**
   * How many states of the data this process has seen. Unlike the version it never comes back: a
   * restored database reaches versions again that had other data before.
   */
  get current(): number {
    return this.#current;
  }

  /** The version in the database, as far as this process knows. */
  get version(): number {
    return this.#version;
  }

  /** The database did not answer the last query. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Queries the database now; concurrent callers share the answer. */
  refresh(): Promise<void> {
    return this.#refreshing ??= this.#ask().finally(() => this.#refreshing = undefined);
  }

  async #ask(): Promise<void> {
    try {
      this.#see(await this.#readNewest());
      noteOutageEnd();
      this.#isAway = false;
    } catch (error) {
      // It is reachable, and polled again soon; after an outage only an answer shows that.
      if (error instanceof DatabaseBusy && !this.#isAway) return;
      const away = error instanceof DatabaseAway
        ? error
        : new DatabaseAway(`The database cannot be reached: ${(error as Error).message}`);
      noteOutage(away, this.clock().getTime());
      this.#isAway = true;
    }
  }

  /** What was heard of while the database was queried may be newer than its answer. */
  async #readNewest(): Promise<number> {
    const { database } = this;
    while (true) {
      const before = this.#version;
      // A server is queried ahead of the queue; the one session of the embedded database may be busy.
      const version = await (database.kind === "postgres"
        ? database.inspect(readDataVersion)
        : readDataVersion(database));
      if (version >= this.#version || this.#version === before) {
        return version;
      }
    }
  }

  /** Calls the listener whenever other data is seen. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /**
   * Takes in a version that was heard of. A lower one was raised before the one that is known, or is
   * that of a restored database: the database is asked.
   */
  async note(version: number): Promise<void> {
    if (version >= this.#version) this.#see(version);
    else await this.refresh();
  }

  #see(version: number): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#current++;
    for (const listener of this.#listeners) listener();
  }
}

const MAX_ENTRIES = 200;

/** What is read from the database once for each state of the data. */
export interface CachedRead<Value> {
  read(): Promise<Value>;
}

/** Holds small results that many answers need, until the data changes. */
export class DataCache {
  #version = -1;
  #results = new AsyncCache<{ value: unknown }>({ max: MAX_ENTRIES });

  constructor(private readonly dataVersion: Pick<DataVersion, "current">) {}

  /** @param key names what is read, and everything but the data that it depends on */
  async get<Value>(key: string, load: () => Promise<Value>): Promise<Value> {
    const { current } = this.dataVersion;
    // What is being read when the data changes goes into the dropped cache.
    if (current !== this.#version) this.#results = new AsyncCache({ max: MAX_ENTRIES });
    this.#version = current;
    const { value } = await this.#results.get(key, async () => ({ value: await load() }));
    return value as Value;
  }

  /** The same for a result that depends on nothing but the data. */
  reader<Value>(key: string, load: () => Promise<Value>): CachedRead<Value> {
    return { read: () => this.get(key, load) };
  }
}
