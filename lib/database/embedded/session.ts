import type { Signal } from "../../work/cancellation.ts";
import { type Connection, DatabaseAway, explainReadOnly } from "../database.ts";

/**
 * What runs statements one after the other: the thread of an embedded database, or a connection to
 * it.
 */
export interface Session {
  query(text: string, params: unknown[]): Promise<unknown[]>;
  script(text: string): Promise<void>;
}

/** The statements of a session. */
export function connectionOf(session: Session): Connection {
  return {
    async query<Row>(statement: Parameters<Connection["query"]>[0]): Promise<Row[]> {
      const { text, params } = statement.compile();
      try {
        return await session.query(text, params) as Row[];
      } catch (error) {
        throw explainReadOnly(error);
      }
    },
    script: (text) => session.script(text),
  };
}

/** There is only one session, so its holder also has the transaction. */
export async function runTransaction<Result>(
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
  signal?: Signal,
): Promise<Result> {
  let end: Error | null = null;
  const within = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    signal?.throwIfAborted();
    if (end !== null) throw end;
    try {
      return await ask();
    } catch (error) {
      // After a restart the database no longer has the transaction.
      if (error instanceof DatabaseAway) end = error;
      throw error;
    }
  };
  await connection.script("begin");
  try {
    const result = await work({
      query: (statement) => within(() => connection.query(statement)),
      script: (text) => within(() => connection.script(text)),
    });
    await within(() => connection.script("commit"));
    return result;
  } catch (error) {
    await connection.script("rollback").catch(() => {});
    throw error;
  } finally {
    end ??= new Error("The transaction has ended");
  }
}
