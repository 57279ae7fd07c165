import type postgres from "postgres";
import type { Sql } from "../sql.ts";

/** A statement that was sent to a PostgreSQL server. */
export interface RunningStatement<Row> {
  readonly rows: Promise<Row[]>;
  /** Cancels it, and settles when the server has received the request. */
  cancel(): Promise<void>;
}

/** Whether a statement of this text is prepared, which saves planning it again. */
export type Prepares = (text: string) => boolean;

/**
 * Sends a statement. Its rows are collected here: postgres.js 3.4.9 counts them per connection and
 * does not reset the count after a statement that failed midway, so the next result would start
 * with holes.
 */
export function runStatement<Row>(
  connection: Pick<postgres.Sql, "unsafe">,
  statement: Sql,
  prepares: Prepares,
): RunningStatement<Row> {
  const { text, params } = statement.compile();
  const pending = connection.unsafe(text, params as never[], { prepare: prepares(text) });
  const rows: Row[] = [];
  const done = pending.forEach((row) => void rows.push(row as Row));
  return { rows: done.then(() => rows), cancel: () => cancel(pending) };
}

/** Sends several statements at once, and ignores their results. */
export function runScript(
  connection: Pick<postgres.Sql, "unsafe">,
  text: string,
): RunningStatement<never> {
  const pending = connection.unsafe(text);
  const done = pending.forEach(() => {});
  return { rows: done.then(() => []), cancel: () => cancel(pending) };
}

/**
 * Does the same as `cancel()` of postgres.js, which drops its promise: if the server is away, the
 * unhandled rejection would end our process. A statement that still waits for its connection runs.
 */
async function cancel(pending: unknown): Promise<void> {
  const { active, canceller } = pending as {
    active: boolean;
    canceller: (pending: unknown) => Promise<void>;
  };
  if (active) await canceller(pending);
}
