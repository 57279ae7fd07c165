import postgres from "postgres";
import { DatabaseAway, DatabaseBusy, DatabaseReadOnly } from "../database.ts";

/** The error for a server that does not answer. */
export function databaseAway(cause: unknown): DatabaseAway {
  return new DatabaseAway(`The database cannot be reached: ${String(cause)}`, { cause });
}

/** Makes the error for a database that does not answer. */
export type ExplainAway = (cause: unknown) => DatabaseAway;

/** Translates an error of postgres.js for the caller. */
export function explainError(error: unknown, away: ExplainAway): unknown {
  if (error instanceof DatabaseAway || error instanceof DatabaseBusy) return error;
  // A file that work within a transaction did not find says nothing about the database.
  if (Object.values(Deno.errors).some((type) => error instanceof type)) return error;
  const { code, message, severity } = error as Record<string, unknown>;
  if (severity === "PANIC") {
    return new DatabaseAway(`The database has stopped: ${message}`, { cause: error });
  }
  if (BUSY.test(String(code))) {
    return new DatabaseBusy(`The database is overloaded: ${message}`, { cause: error });
  }
  return AWAY.test(String(code)) || severity === "FATAL" ? away(error) : explainReadOnly(error);
}

/**
 * Translates SQLSTATE read_only_sql_transaction, and the feature_not_supported with which a standby
 * refuses even to read an unlogged table.
 */
function explainReadOnly(error: unknown): unknown {
  const { code, message, routine } = error as Record<string, unknown>;
  const isReadOnly = code === "25006" || code === "0A000" && routine === "get_relation_info";
  return isReadOnly
    ? new DatabaseReadOnly(`The database is read-only: ${message}`, { cause: error })
    : error;
}

/** Whether the error came from the server, which is then reachable. */
export function isAnswer(error: unknown): boolean {
  return error instanceof postgres.PostgresError && !AWAY.test(error.code);
}

/**
 * SQLSTATE query_canceled (a time limit), too_many_connections; a slow connection attempt: if the
 * server were away, the watch would have noticed before.
 */
const BUSY = /^(57014|53300|CONNECT_TIMEOUT)$/;
/** SQLSTATE 08… (connection), 57P… (the server stops); errors of the socket. */
const AWAY = /^(08|57P)|^(CONNECTION_|ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET)/;
