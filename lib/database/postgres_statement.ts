import type postgres from "postgres";
import type { Sql } from "./sql.ts";

/** A statement that a PostgreSQL server has been sent. */
export interface RunningStatement<Row> {
  readonly rows: Promise<Row[]>;
  /** Has the server end it, and settles when the server has heard that. */
  cancel(): Promise<void>;
}

/**
 * Sends a statement. Its rows are gathered here: postgres.js 3.4.9 counts them per connection, and
 * does not begin anew after a statement that failed with some of its rows sent, so that the next
 * result would begin with holes.
 */
export function runStatement<Row>(
  connection: Pick<postgres.Sql, "unsafe">,
  statement: Sql,
): RunningStatement<Row> {
  const { text, params } = statement.compile();
  const pending = connection.unsafe(text, params as never[], { prepare: true });
  const rows: Row[] = [];
  const done = pending.forEach((row) => void rows.push(row as Row));
  return { rows: done.then(() => rows), cancel: () => cancel(pending) };
}

/** Sends several statements at once; what they answer is of no interest. */
export function runScript(
  connection: Pick<postgres.Sql, "unsafe">,
  text: string,
): RunningStatement<never> {
  const pending = connection.unsafe(text);
  const done = pending.forEach(() => {});
  return { rows: done.then(() => []), cancel: () => cancel(pending) };
}

/**
 * This is what `cancel()` of postgres.js does, which drops the promise of it: where the server is
 * away, that would end our process. A statement that still waits for its connection runs.
 */
async function cancel(pending: unknown): Promise<void> {
  const { active, canceller } = pending as {
    active: boolean;
    canceller: (pending: unknown) => Promise<void>;
  };
  if (active) await canceller(pending);
}
