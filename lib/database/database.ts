import { ExpectedError } from "../expected_error.ts";
import type { Sql } from "./sql.ts";

/** What can be asked: the database itself, or one transaction of it. */
export interface Connection {
  /** Runs one statement and returns its rows. */
  query<Row>(statement: Sql): Promise<Row[]>;
  /** Runs a text of several statements without values. */
  script(text: string): Promise<void>;
}

/**
 * PostgreSQL, either a server or the one embedded in this process. Both run the same statements.
 * What is asked for a request (lib/cancellation.ts) waits in a line that is bounded, and ends with
 * the request; jobs wait for as long as it takes.
 */
export interface Database extends Connection {
  readonly kind: "postgres" | "embedded";
  /** Runs the work in one transaction: all of it is stored, or nothing. */
  transaction<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result>;
  /**
   * Reads how things are, for health checks: over a connection of its own where there can be one.
   *
   * @throws {DatabaseBusy} where there is no answer within half a second
   */
  inspect<Result>(read: (connection: Connection) => Promise<Result>): Promise<Result>;
  /**
   * Calls `onMessage` for every notification on the channel, and `onDoubt` each time messages may
   * have been missed: a connection was lost, or the listening one is there (again).
   */
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onDoubt: () => void,
  ): Promise<void>;
  close(): Promise<void>;
}

/** The PostgreSQL that is embedded in a process; what only such a one can do. */
export interface EmbeddedDatabase extends Database {
  readonly kind: "embedded";
  /** Reads something, and has all of the same moment as a tar archive, which may be compressed. */
  dump<Known>(
    read: (connection: Connection) => Promise<Known>,
  ): Promise<{ known: Known; image: Blob }>;
  /** Does work unless somebody is at work of that name just now; null: somebody is. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result | null>;
}

/** Tells whether a database is an embedded one. */
export function isEmbedded(database: Database): database is EmbeddedDatabase {
  return database.kind === "embedded";
}

/** The database cannot be reached; whoever asked may ask again in a few seconds. */
export class DatabaseAway extends ExpectedError {}

/** The database has too much to do; whoever asked may ask again in a few seconds. */
export class DatabaseBusy extends ExpectedError {}

/** Within this time, in milliseconds, `inspect` answers. */
export const INSPECT_MS = 500;

/** So many requests, at most, wait for the database in one process. */
export const MAX_WAITING = 500;

/** Runs a statement that answers with exactly one row. */
export async function queryOne<Row>(connection: Connection, statement: Sql): Promise<Row> {
  const [row] = await connection.query<Row>(statement);
  if (row === undefined) throw new Error(`No row for: ${statement.compile().text}`);
  return row;
}
