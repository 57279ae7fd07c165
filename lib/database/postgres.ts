import postgres from "postgres";
import { type Connection, type Database, DatabaseAway } from "./database.ts";
import type { Sql } from "./sql.ts";
import { Watch } from "./watch.ts";

/** Connections that were given up end when what runs on them ends, or after so long. */
const GIVE_UP_SECONDS = 20;

type Options = postgres.Options<Record<string, never>>;

const OPTIONS: Options = {
  connect_timeout: 2,
  backoff: (attempt: number) => Math.min(0.1 * 2 ** attempt, 1),
  onnotice: () => {},
  connection: { application_name: "roadcast", DateStyle: "ISO" },
};

/** One connection that stays open: a server under load is slow to take new ones. */
const PROBING: Options = { ...OPTIONS, max: 1, fetch_types: false };

/** Opens a pool of connections to a PostgreSQL server; one that is away may come up later. */
export async function openPostgres(url: string): Promise<Database> {
  const disconnected: (() => void)[] = [];
  const onclose = () => disconnected.forEach((tell) => tell());
  const options = { ...await acceptedOptions(url), onclose };
  let pool = postgres(url, options);
  const listening = postgres(url, OPTIONS);
  let probing = postgres(url, PROBING);
  probing.unsafe("select 1").catch(() => {});
  const watch = new Watch(
    () => probing.unsafe("select 1").catch(throwIfAway),
    () => {
      // A connection that hangs may hang for minutes after the server is back: begin with new ones.
      pool.end({ timeout: GIVE_UP_SECONDS });
      pool = postgres(url, options);
      probing.end({ timeout: 0 });
      probing = postgres(url, PROBING);
      return away("no answer");
    },
  );
  const guard = <Result>(answer: PromiseLike<Result>) =>
    watch.guard(answer).catch((error) => {
      throw awayIfDisconnected(error);
    });

  return {
    kind: "postgres",
    ...connection(() => pool, guard),
    transaction: (work) => begin(pool, guard, work),
    async listen(channel, onMessage, onDoubt) {
      disconnected.push(onDoubt);
      await listening.listen(channel, onMessage, onDoubt);
    },
    async close() {
      disconnected.length = 0;
      await Promise.all([
        pool.end({ timeout: 5 }),
        listening.end({ timeout: 1 }),
        probing.end({ timeout: 1 }),
      ]);
    },
  };
}

/**
 * Compiling a plan costs more than any of our statements gains by it, so `jit` is off. Connection
 * poolers refuse settings at connect ("unsupported startup parameter"); they are served without.
 */
async function acceptedOptions(url: string): Promise<Options> {
  const options = { ...OPTIONS, connection: { ...OPTIONS.connection, jit: "off" as never } };
  const trial = postgres(url, { ...options, max: 1 });
  try {
    await trial.unsafe("select 1");
    return options;
  } catch (error) {
    if (isConnectionError(error)) return options;
    if (!String(error).includes("startup parameter")) throw error;
    return OPTIONS;
  } finally {
    await trial.end({ timeout: 0 });
  }
}

type Queryable = Pick<postgres.Sql, "unsafe">;
type Guard = <Result>(answer: PromiseLike<Result>) => Promise<Result>;

function connection(queryable: () => Queryable, guard: Guard): Connection {
  return {
    query<Row>(statement: Sql): Promise<Row[]> {
      const { text, params } = statement.compile();
      const answer = queryable().unsafe(text, params as never[], { prepare: true });
      return guard(answer as unknown as Promise<Row[]>);
    },
    async script(text) {
      await guard(queryable().unsafe(text));
    },
  };
}

/** Once a transaction has begun it may take its time: it ends as its connection does. */
async function begin<Result>(
  pool: postgres.Sql,
  guard: Guard,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const hasBegun = Promise.withResolvers<void>();
  let isGivenUp = false;
  const done = pool.begin((transaction) => {
    if (isGivenUp) throw away("no answer");
    hasBegun.resolve();
    return work(connection(() => transaction, (answer) => Promise.resolve(answer)));
  }) as Promise<Result>;
  try {
    await guard(Promise.race([hasBegun.promise, done]));
    return await done;
  } catch (error) {
    isGivenUp = true;
    done.catch(() => {});
    throw awayIfDisconnected(error);
  }
}

function away(cause: unknown): DatabaseAway {
  return new DatabaseAway(`The database cannot be reached: ${String(cause)}`, { cause });
}

function awayIfDisconnected(error: unknown): unknown {
  return !(error instanceof DatabaseAway) && isConnectionError(error) ? away(error) : error;
}

/** A server that refuses a question is there. */
function throwIfAway(error: unknown): void {
  if (!(error instanceof postgres.PostgresError)) throw error;
}

/** Errors of the socket; SQLSTATE 08… (connection), 57P… (the server stops), 53300 (it is full). */
function isConnectionError(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  const code = String((error as { code?: unknown })?.code ?? "");
  return /^(08|57P|53300)|^(CONNECT|ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET)/.test(code);
}
