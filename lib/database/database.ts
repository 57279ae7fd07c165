import { getLogger } from "@logtape/logtape";
import { ExpectedError } from "../expected_error.ts";
import { type Caller, currentCaller } from "../work/async.ts";
import { LastFailure } from "../work/last_failure.ts";
import type { Sql } from "./sql.ts";

/** What runs statements: the database itself, or one of its transactions. */
export interface Connection {
  /** Runs one statement and returns its rows. */
  query<Row>(statement: Sql): Promise<Row[]>;
  /** Runs a text of several statements without values. */
  script(text: string): Promise<void>;
}

/**
 * PostgreSQL, either a server or the one embedded in this process. Both run the same statements.
 * Those of a caller with a signal have a time limit, wait in a bounded queue, which serves clients in
 * turn, and are cancelled by the signal; those without, of jobs, wait without a limit.
 */
export interface Database extends Connection {
  readonly kind: "postgres" | "embedded";
  query<Row>(statement: Sql, caller?: Caller): Promise<Row[]>;
  /** Runs the work in one transaction: all of it is stored, or nothing. */
  transaction<Result>(
    work: (connection: Connection) => Promise<Result>,
    caller?: Caller,
  ): Promise<Result>;
  /**
   * Reads the state for health checks, on a connection of its own if possible.
   *
   * @throws {DatabaseBusy} if there is no answer within half a second
   */
  inspect<Result>(read: (connection: Connection) => Promise<Result>): Promise<Result>;
  /**
   * Calls `onMessage` for every notification on the channel, and `onDoubt` whenever messages may
   * have been missed: a connection was lost, or the listening one was (re)established.
   */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onDoubt: () => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Whether a database is embedded: it has a single session, and runs one statement at a time. */
export function isEmbedded({ kind }: Database): boolean {
  return kind === "embedded";
}

/** The database cannot be reached; the caller may retry in a few seconds. */
export class DatabaseAway extends ExpectedError {}

/** The database is overloaded; the caller may retry in a few seconds. */
export class DatabaseBusy extends ExpectedError {}

/** The database takes no changes, as a standby does until it is promoted. */
export class DatabaseReadOnly extends ExpectedError {}

/** The handle of a database for requests: what it runs is the current caller's (see `Database`). */
export function forRequests(database: Database): Database {
  return {
    ...database,
    query: (statement) => database.query(statement, currentCaller()),
    transaction: (work) => database.transaction(work, currentCaller()),
  };
}

/** Runs a statement that answers with exactly one row. */
export async function queryOne<Row>(connection: Connection, statement: Sql): Promise<Row> {
  const [row] = await connection.query<Row>(statement);
  if (row === undefined) throw new Error(`No row for: ${statement.compile().text}`);
  return row;
}

const log = getLogger(["roadcast", "jobs"]);

/** What a server said when it refused a login; null: it said nothing. */
export function refusalOf({ cause }: DatabaseAway): Error | null {
  const { code, severity } = (cause ?? {}) as Record<string, unknown>;
  // 57P…: it ends the connections that it has.
  return severity === "FATAL" && !String(code).startsWith("57P") ? cause as Error : null;
}

const lastOutage = new LastFailure();
let wasRefused = false;

/**
 * Logs that the database is away, which everything that needs it notices: when that begins, when the
 * server says why, and once an hour until `noteOutageEnd`.
 */
export function noteOutage(outage: DatabaseAway, now?: number): void {
  wasRefused ||= refusalOf(outage) !== null;
  // How it shows differs from one job to the next.
  const isNews = lastOutage.isNews(wasRefused ? "refused" : "away", now);
  if (isNews) log.error("{error}", { error: outage.message });
}

/** Records that the database answers. */
export function noteOutageEnd(): void {
  wasRefused = false;
  if (lastOutage.end()) log.info("The database is back");
}
